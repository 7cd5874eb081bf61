import { expect, test } from 'vitest'
import { contributions } from '#kernel/system'
import { testKernel } from '#kernel/testing'
import { overviewParts } from '#plugins/admin'
import { tasksPlugin } from '../plugin.ts'
import { putTask, workingPlugin } from '../testing/working-plugin.ts'

test('the overview gets the counts of tasks, the kinds with work to do and the health of the workers', async () => {
  await using svc = await testKernel({ plugins: [tasksPlugin, workingPlugin] })
  await putTask(svc.kernel, 'done', { inMs: 3_600_000 })
  await putTask(svc.kernel, 'done', { of: 'routine', inMs: 3_600_000 })
  const parts = svc.kernel.get(contributions).to(overviewParts)
  const summary = Object.fromEntries(
    await Promise.all(parts.map(async ({ item, services }) => [item.into, await item.summarise(services)])),
  )
  expect(summary).toEqual({
    tasks: {
      by_status: { pending: 1, running: 0, completed: 0, failed: 0, cancelled: 0 },
      attention: { failed: 0 },
      active_pipeline: [{ operation: 'Do test_work', by_status: { pending: 1, running: 0 }, total: 1 }],
    },
    workers: { tasks: true },
  })
})
