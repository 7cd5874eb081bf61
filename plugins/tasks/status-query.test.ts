import { expect, test } from 'vitest'
import { promised, testKernel } from '#kernel/testing'
import { listTasks } from './api.ts'
import { tasksPlugin } from './plugin.ts'
import { putTask, workingPlugin } from './testing/working-plugin.ts'

test('tasks can be listed by each status and by "dismissed", which "failed" excludes', async () => {
  await using svc = await testKernel({ plugins: [tasksPlugin, workingPlugin], config: { 'worker.tasks.poll_interval': '50ms' } })
  const [completed, failed, dismissed] = [
    await putTask(svc.kernel, 'done'),
    await putTask(svc.kernel, 'fail'),
    await putTask(svc.kernel, 'fail'),
  ]
  const pending = await putTask(svc.kernel, 'done', { inMs: 3_600_000 })
  const ids = async (status: string) =>
    promised(listTasks, await svc.call('GET', `/api/v1/tasks?status=${status}`)).tasks.map(({ id }) => id)
  await expect.poll(() => ids('failed')).toEqual([dismissed, failed])
  expect((await svc.call('POST', `/api/v1/tasks/${dismissed}/acknowledge`)).status).toBe(200)
  await expect.poll(() => ids('completed')).toEqual([completed])
  const found = await Promise.all(['pending', 'running', 'failed', 'cancelled', 'dismissed'].map(ids))
  expect(found).toEqual([[pending], [], [failed], [], [dismissed]])
})
