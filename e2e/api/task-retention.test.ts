/** Records of ended tasks are deleted after `worker.tasks.retention`; for a failure this time starts at its acknowledgement. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTaskGateway, type TaskGateway } from '../fixtures/task-gateway.ts'

let svc: TaskGateway
beforeAll(async () => {
  svc = await startTaskGateway({ 'worker.tasks.retention': '1s' })
})
afterAll(() => svc[Symbol.asyncDispose]())

/** Sweeps until the task is removed; returns the remaining ones. */
async function sweepUntilGone(id: number): Promise<readonly number[]> {
  await expect
    .poll(async () => {
      await svc.sweep()
      return (await svc.list('?limit=100')).tasks.map((task) => task.id)
    })
    .not.toContain(id)
  return (await svc.list('?limit=100')).tasks.map((task) => task.id)
}

test('completed and acknowledged tasks are removed; unacknowledged failures stay at any age', async () => {
  const failed = await svc.putUntil('failed', { end: 'fail' })
  const dismissed = await svc.putUntil('failed', { of: 'collect', end: 'fail' })
  const waiting = await svc.putUntil('waiting', { end: 'wait' })
  const completed = await svc.putUntil('completed', { end: 'done' })
  // Both failures are older than the deleted records.
  expect(await sweepUntilGone(completed.id)).toEqual([waiting.id, dismissed.id, failed.id])
  expect((await svc.call('POST', `/api/v1/tasks/${dismissed.id}/acknowledge`)).status).toBe(200)
  expect(await sweepUntilGone(dismissed.id)).toEqual([waiting.id, failed.id])
  expect((await svc.call('GET', '/api/v1/tasks/stats')).json).toEqual([
    { type: 'test_deliver', operation: 'Deliver a parcel', status: 'failed', count: 1 },
    { type: 'test_deliver', operation: 'Deliver a parcel', status: 'pending', count: 1 },
  ])
})
