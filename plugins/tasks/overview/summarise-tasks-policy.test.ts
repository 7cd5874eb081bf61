import { expect, test } from 'vitest'
import { summariseTasks } from './summarise-tasks-policy.ts'

test('acknowledged failures count as failed, but not as attention', () => {
  const counts = [
    { kind: 'store', label: 'Store content', status: 'failed', count: 2 },
    { kind: 'store', label: 'Store content', status: 'dismissed', count: 3 },
    { kind: 'pull', label: 'Transfer', status: 'failed', count: 1 },
    { kind: 'pull', label: 'Transfer', status: 'completed', count: 7 },
  ] as const
  expect(summariseTasks(counts)).toEqual({
    by_status: { pending: 0, running: 0, completed: 7, failed: 6, cancelled: 0 },
    attention: { failed: 3 },
    active_pipeline: [],
  })
})

test('only kinds with work to do are active, under their label', () => {
  const counts = [
    { kind: 'store', label: 'Store content', status: 'pending', count: 2 },
    { kind: 'store', label: 'Store content', status: 'running', count: 1 },
    { kind: 'gone', label: 'gone', status: 'pending', count: 4 },
    { kind: 'pull', label: 'Transfer', status: 'completed', count: 7 },
  ] as const
  expect(summariseTasks(counts).active_pipeline).toEqual([
    { operation: 'Store content', by_status: { pending: 2, running: 1 }, total: 3 },
    { operation: 'gone', by_status: { pending: 4, running: 0 }, total: 4 },
  ])
})
