import { expect, test } from 'vitest'
import { runCommand } from '#cli/testing'
import { testKernel } from '#kernel/testing'
import { tasksPlugin } from '../plugin.ts'
import { putTask, workingPlugin } from '../testing/working-plugin.ts'
import { taskCommands } from './commands.ts'

test('each flag of svc admin task list works alone', async () => {
  await using svc = await testKernel({ plugins: [tasksPlugin, workingPlugin] })
  const inMs = 3_600_000
  const oldest = await putTask(svc.kernel, 'done', { inMs })
  const other = await putTask(svc.kernel, 'done', { of: 'otherWork', inMs })
  const waiting = await putTask(svc.kernel, 'wait')
  const failed = await putTask(svc.kernel, 'fail')
  await expect.poll(async () => (await svc.call('GET', '/api/v1/tasks?status=failed')).body.tasks).toHaveLength(1)
  const command = taskCommands.find(({ name }) => name === 'admin task list')
  const ids = async (flags: Readonly<Record<string, unknown>>) => {
    const { stdout } = await runCommand(command, svc, { flags: { ...flags, json: true } })
    return (JSON.parse(stdout).tasks as readonly { readonly id: number }[]).map(({ id }) => id)
  }
  expect(await ids({})).toEqual([failed, waiting, other, oldest])
  expect(await ids({ type: 'test_other_work' })).toEqual([other])
  expect(await ids({ status: 'failed' })).toEqual([failed])
  expect(await ids({ limit: 3 })).toEqual([failed, waiting, other])
  expect(await ids({ cursor: waiting })).toEqual([other, oldest])
})
