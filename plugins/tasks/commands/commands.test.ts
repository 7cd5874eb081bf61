import { expect, test } from 'vitest'
import { type CommandWords, runCommand } from '#cli/testing'
import { type TestKernel, testKernel } from '#kernel/testing'
import { tasksPlugin } from '../plugin.ts'
import { putTask, workingPlugin } from '../testing/working-plugin.ts'
import { taskCommands } from './commands.ts'

const start = () => testKernel({ plugins: [tasksPlugin, workingPlugin], config: { 'worker.tasks.poll_interval': '50ms' } })
const run = (svc: TestKernel, name: string, words: CommandWords = {}) =>
  runCommand(
    taskCommands.find((command) => command.name === `admin task ${name}`),
    svc,
    words,
  )

async function putFailed(svc: TestKernel, of: 'work' | 'otherWork' = 'work'): Promise<number> {
  const id = await putTask(svc.kernel, 'fail', { of })
  await expect.poll(async () => (await svc.call('GET', '/api/v1/tasks?status=failed')).body.tasks[0]?.id).toBe(id)
  return id
}

test('tasks are listed in a table that names the next page', async () => {
  await using svc = await start()
  expect((await run(svc, 'list')).stdout).toBe('No tasks found.\n')
  await putTask(svc.kernel, 'done', { inMs: 3_600_000 })
  const failed = await putFailed(svc)
  const { stdout } = await run(svc, 'list', { flags: { limit: 1 } })
  const [header, row, more] = stdout.split('\n')
  expect(header).toMatch(/^ID +OPERATION +STATUS +RETRIES +SUBJECT +AVAILABLE +DETAILS$/)
  expect(row).toMatch(new RegExp(`^${failed} +Do test_work +failed +\\d/4 +bucket:photos +\\S+Z +the provider refused$`))
  expect(more).toBe(`More: --cursor ${failed}`)
  const rest = await run(svc, 'list', { flags: { cursor: failed, status: 'pending', type: 'test_work', json: true } })
  expect(JSON.parse(rest.stdout).tasks).toMatchObject([{ presentation_status: 'scheduled' }])
})

test('tasks are counted', async () => {
  await using svc = await start()
  expect((await run(svc, 'stats')).stdout).toBe('No tasks found.\n')
  await putFailed(svc)
  expect((await run(svc, 'stats')).stdout).toMatch(/^TYPE +STATUS +COUNT\ntest_work +failed +1\n$/)
  expect(JSON.parse((await run(svc, 'stats', { flags: { json: true } })).stdout)).toEqual([
    { type: 'test_work', operation: 'Do test_work', status: 'failed', count: 1 },
  ])
})

test('one task is shown, a failed one with its reason and next step', async () => {
  await using svc = await start()
  const failed = await putFailed(svc)
  await putTask(svc.kernel, 'done', { inMs: 3_600_000 })
  const show = (id: number, flags = {}) => run(svc, 'show', { parameters: { id: String(id) }, flags })
  const { stdout } = await show(failed)
  expect(stdout).toMatch(
    new RegExp(`^Task: ${failed}\\nType: test_work\\nOperation: Do test_work\\nStatus: failed\\nSubject: bucket:photos\\n`),
  )
  expect(stdout).toContain(`\nNext step: svc admin task retry ${failed} or svc admin task acknowledge ${failed}\n`)
  const scheduled = (await show(failed + 1)).stdout
  expect(scheduled).toContain('Status: scheduled\n')
  expect(scheduled).not.toContain('Next step')
  expect(JSON.parse((await show(failed, { json: true })).stdout)).toMatchObject({ id: failed, last_error: 'the provider refused' })
  await expect(show(failed + 2)).rejects.toThrow(`there is no task ${failed + 2}`)
})

test('a task is retried and dismissed by its id', async () => {
  await using svc = await start()
  const id = String(await putFailed(svc))
  expect((await run(svc, 'retry', { parameters: { id } })).stdout).toBe(`Task ${id} pending\n`)
  const other = String(await putFailed(svc, 'otherWork'))
  expect((await run(svc, 'acknowledge', { parameters: { id: other } })).stdout).toBe(`Task ${other} acknowledged\n`)
  await expect(run(svc, 'acknowledge', { parameters: { id: other } })).rejects.toMatchObject({
    code: 'task_not_acknowledgeable',
    exitCode: 1,
  })
  await expect(run(svc, 'retry', { parameters: { id: '999' } })).rejects.toMatchObject({ status: 404 })
})

test('all failures of a type are dismissed together', async () => {
  await using svc = await start()
  await putFailed(svc)
  await putFailed(svc, 'otherWork')
  const one = await run(svc, 'acknowledge', { flags: { type: 'test_work', yes: true } })
  expect(one.stdout).toBe('1 failed task acknowledged\n')
  const none = await run(svc, 'acknowledge', { flags: { before: '2020-01-01T00:00:00Z', yes: true } })
  expect(none.stdout).toBe('0 failed tasks acknowledged\n')
  const rest = await run(svc, 'acknowledge', { flags: { yes: true, json: true } })
  expect(JSON.parse(rest.stdout)).toEqual({ acknowledged: 1 })
})

const usageErrors: readonly (readonly [name: string, words: CommandWords, message: string])[] = [
  ['acknowledge', {}, 'must be confirmed with --yes'],
  ['acknowledge', { flags: { before: 'yesterday', yes: true } }, '--before must be a time'],
  ['acknowledge', { parameters: { id: '1' }, flags: { type: 'x' } }, 'an id dismisses one task'],
  ['acknowledge', { parameters: { id: 'x' } }, '"x" is not a task id'],
  ['retry', { parameters: { id: '0' } }, '"0" is not a task id'],
  ['list', { flags: { limit: 101 } }, '--limit must be a whole number from 1 to 100'],
  ['list', { flags: { cursor: 1.5 } }, '--cursor must be a whole number'],
]

test.each(usageErrors)('task %s with %j is a usage error', async (name, words, message) => {
  await using svc = await start()
  await expect(run(svc, name, words)).rejects.toMatchObject({ message: expect.stringContaining(message), exitCode: 2 })
})
