import { expect, test } from 'vitest'
import { describeFault } from '../engine/fault.ts'
import { done, fail, type Outcome, wait } from '../outcome.ts'
import { endAfterFault, endAfterOutcome, waitMsMin } from './ending-policy.ts'

const nowMs = 10_000
const at = { nowMs, hasProgressed: false }

test('each outcome maps to its ending', () => {
  expect(endAfterOutcome(done(), at)).toEqual({ kind: 'done' })
  expect(endAfterOutcome(wait('funding', 20_000.2), at)).toEqual({
    kind: 'wait',
    reason: 'funding',
    message: null,
    untilMs: 20_001,
    hasProgressed: false,
  })
  expect(endAfterOutcome(fail('rejected', 'no', { retryable: true }), at)).toEqual({
    kind: 'fail',
    code: 'rejected',
    message: 'no',
    isRetryable: true,
  })
})

test('the NUL characters of a message are replaced, because PostgreSQL cannot store them', () => {
  const replaced = { message: 'a\ufffdb' }
  expect(endAfterOutcome(wait('funding', 20_000, 'a\0b'), at)).toMatchObject(replaced)
  expect(endAfterOutcome(fail('rejected', 'a\0b', { retryable: true }), at)).toMatchObject(replaced)
  expect(describeFault(Object.assign(new Error('a\0b'), { code: 'c\0' }))).toEqual({ code: 'c\ufffd', ...replaced })
})

test('a wait until a past time becomes a short wait', () => {
  expect(endAfterOutcome(wait('funding', 0), at)).toMatchObject({ untilMs: nowMs + waitMsMin })
})

test('an invalid outcome throws', () => {
  expect(() => endAfterOutcome(wait('funding', Number.NaN), at)).toThrow("waits for 'funding' until NaN")
  expect(() => endAfterOutcome({ kind: 'maybe' } as unknown as Outcome, at)).toThrow('returned no outcome')
})

test('when the last attempt throws, the task fails with its error', () => {
  const run = { fault: { code: 'ECONNRESET', message: 'reset' }, attemptsMax: 3, runAtMs: 12_000 }
  expect(endAfterFault({ ...run, failures: 2 })).toEqual({
    kind: 'retry',
    code: 'ECONNRESET',
    message: 'reset',
    runAtMs: 12_000,
    failures: 2,
  })
  expect(endAfterFault({ ...run, failures: 3 })).toEqual({ kind: 'fail', code: 'attempts_exhausted', message: 'reset', isRetryable: true })
})

test('a fault has the messages of its causes and the first code, for any thrown value', () => {
  const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
  expect(describeFault(new Error('no answer', { cause }))).toEqual({ code: 'ECONNREFUSED', message: 'no answer <- refused' })
  expect(describeFault('text')).toEqual({ code: 'unexpected_error', message: 'text' })
  expect(describeFault(undefined)).toEqual({ code: 'unexpected_error', message: 'failed without a message' })
  expect(describeFault(new Error('x'.repeat(5000))).message.length).toBe(1000)
})
