import { expect, test } from 'vitest'
import { summariseTasks } from './summarise-tasks-policy.ts'

test('acknowledged failures count as failed, but not as attention', () => {
  const counts = [
    { kind: 'store', status: 'failed', count: 2 },
    { kind: 'store', status: 'dismissed', count: 3 },
    { kind: 'pull', status: 'failed', count: 1 },
    { kind: 'pull', status: 'completed', count: 7 },
  ] as const
  expect(summariseTasks(counts, new Map())).toEqual({
    by_status: { pending: 0, running: 0, completed: 7, failed: 6, cancelled: 0 },
    attention: { failed: 3 },
    active_pipeline: [],
  })
})

test('only kinds with work to do are active, under their label', () => {
  const counts = [
    { kind: 'store', status: 'pending', count: 2 },
    { kind: 'store', status: 'running', count: 1 },
    { kind: 'gone', status: 'pending', count: 4 },
    { kind: 'pull', status: 'completed', count: 7 },
  ] as const
  expect(summariseTasks(counts, new Map([['store', 'Store content']])).active_pipeline).toEqual([
    { operation: 'Store content', by_status: { pending: 2, running: 1 }, total: 3 },
    { operation: 'gone', by_status: { pending: 4, running: 0 }, total: 4 },
  ])
})
