import { expect, test } from 'vitest'
import { createFakeClock, silentLog } from '#kernel/testing'
import type { Chain, OperationOutcome, WalletOperations } from '../contract.ts'
import { operationTask } from './operation-task.ts'

const args = { type: 'fund', id: 'a' } as const

function run(follow: () => Promise<OperationOutcome>) {
  const clock = createFakeClock(0)
  const chain = { network: { epochSeconds: 30 } } as unknown as Chain
  const services = { operations: { follow } as unknown as WalletOperations, chain, clock }
  const { signal } = new AbortController()
  return operationTask.run({
    id: 1,
    args,
    services: services as never,
    attempts: 0,
    nowMs: 0,
    log: silentLog,
    signal,
    fence: (database) => database,
    holdLease: async () => {},
    progressed() {},
  })
}

test.each([
  [false, true],
  [true, false],
])('a failed operation can be retried unless something was sent for it', async (isSent, retryable) => {
  const failed = { kind: 'failed', code: 'wallet_operation_failed', message: 'refused', isSent } as const
  expect(await run(async () => failed)).toEqual({ kind: 'fail', code: 'wallet_operation_failed', message: 'refused', retryable })
})

test('an operation without an outcome is followed for any number of failures', async () => {
  expect(operationTask.attempts).toBe(Infinity)
  expect(await run(async () => ({ kind: 'open', reason: 'confirmation', message: 'hidden' }))).toMatchObject({
    kind: 'wait',
    untilMs: 30_000,
  })
})

test('a retry reopens the operation in its transaction; the label and the effect are for operators', async () => {
  const reopened: unknown[] = []
  const operations = { reopen: async (tx: unknown, key: unknown) => void reopened.push(tx, key) }
  const tx = {} as never
  await operationTask.reopen?.({ tx, args, services: { operations } as never })
  expect(reopened).toEqual([tx, args])
  expect(operationTask).toMatchObject({ label: 'Process wallet request', retry: { level: 'review' } })
  expect(operationTask.subject(args)).toEqual({ type: 'wallet_operation', key: 'fund a' })
})
