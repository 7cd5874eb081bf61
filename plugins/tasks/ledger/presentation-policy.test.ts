import { expect, test } from 'vitest'
import { isAcknowledgeable, isRetryable, presentTask } from './presentation-policy.ts'

const nowMs = 1000
const task = { status: 'pending', waitReason: null, runAtMs: nowMs, acknowledgedAtMs: null } as const

test.each([
  ['queued', {}],
  ['scheduled', { runAtMs: nowMs + 1 }],
  ['waiting', { waitReason: 'funding', runAtMs: nowMs + 1 }],
  ['running', { status: 'running' }],
  ['completed', { status: 'completed' }],
  ['cancelled', { status: 'cancelled' }],
  ['failed', { status: 'failed' }],
  ['dismissed', { status: 'failed', acknowledgedAtMs: 900 }],
] as const)('a task is shown as %s', (expected, difference) => {
  expect(presentTask({ ...task, ...difference }, nowMs)).toBe(expected)
})

test('only a retryable failure can be retried, also a dismissed one', () => {
  expect(isRetryable({ status: 'failed', isRetryable: 1 })).toBe(true)
  expect(isRetryable({ status: 'failed', isRetryable: 0 })).toBe(false)
  expect(isRetryable({ status: 'pending', isRetryable: 1 })).toBe(false)
})

test('only an undismissed failure can be dismissed', () => {
  expect(isAcknowledgeable({ status: 'failed', acknowledgedAtMs: null })).toBe(true)
  expect(isAcknowledgeable({ status: 'failed', acknowledgedAtMs: 1 })).toBe(false)
  expect(isAcknowledgeable({ status: 'completed', acknowledgedAtMs: null })).toBe(false)
})
