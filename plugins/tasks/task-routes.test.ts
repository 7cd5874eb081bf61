import { expect, test } from 'vitest'
import { promised, type TestKernel, testKernel } from '#kernel/testing'
import { acknowledgeTask, acknowledgeTasks, listTasks, previewAcknowledge, retryTask, type Task, taskStats } from './api.ts'
import { tasksPlugin } from './plugin.ts'
import { putTask, workingPlugin } from './testing/working-plugin.ts'

const start = () => testKernel({ plugins: [tasksPlugin, workingPlugin], config: { 'worker.tasks.poll_interval': '50ms' } })

const list = async (svc: TestKernel, query = '') => promised(listTasks, await svc.call('GET', `/api/v1/tasks${query}`))

async function settled(svc: TestKernel, id: number, presentation: Task['presentation_status']): Promise<Task> {
  let found: Task | undefined
  await expect
    .poll(async () => {
      found = (await list(svc)).tasks.find((task) => task.id === id)
      return found?.presentation_status
    })
    .toBe(presentation)
  return found as Task
}

const put = async (svc: TestKernel, end: Parameters<typeof putTask>[1], options?: Parameters<typeof putTask>[2]) =>
  putTask(svc.kernel, end, options)

test('tasks are listed newest first with operation, subject and wait reason', async () => {
  await using svc = await start()
  const failed = await put(svc, 'fail')
  const waiting = await put(svc, 'wait')
  const scheduled = await put(svc, 'done', { inMs: 3_600_000 })
  const shown = await settled(svc, failed, 'failed')
  expect(shown).toMatchObject({
    type: 'test_work',
    operation: 'Do test_work',
    status: 'failed',
    subject: { type: 'bucket', key: 'photos', bucket: 'photos' },
    retry_count: 0,
    retry_limit: 4,
    retryable: true,
    acknowledgeable: true,
    failure_reason: 'refused',
    last_error: 'the provider refused',
    finished_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}Z$/),
  })
  const waits = await settled(svc, waiting, 'waiting')
  expect(waits).toMatchObject({
    status: 'pending',
    wait_reason: 'funding',
    status_message: 'the deposit is too small',
    retry_count: 0,
    retryable: false,
  })
  expect(waits).not.toHaveProperty('last_error')
  expect(await settled(svc, scheduled, 'scheduled')).toMatchObject({ status: 'pending' })
  expect((await list(svc)).tasks.map(({ id }) => id)).toEqual([scheduled, waiting, failed])
})

test('the kind of a task says what a retry does', async () => {
  await using svc = await start()
  const usual = await settled(svc, await put(svc, 'fail'), 'failed')
  const dangerous = await settled(svc, await put(svc, 'fail', { of: 'otherWork' }), 'failed')
  const final = await settled(svc, await put(svc, 'fail permanently', { of: 'otherWork' }), 'failed')
  expect(usual.retry_effect).toEqual({ level: 'review', text: 'The task starts again with all its attempts.' })
  expect(dangerous.retry_effect).toEqual({ level: 'danger', text: 'Burns the letters of the other work.' })
  expect(final).not.toHaveProperty('retry_effect')
})

test('the list is paged by cursor without a gap', async () => {
  await using svc = await start()
  const ids: number[] = []
  for (let i = 0; i < 5; i++) ids.unshift(await put(svc, 'done', { inMs: 3_600_000 }))
  const seen: number[] = []
  let cursor: number | undefined
  for (let pages = 0; pages < 5; pages++) {
    const page = await list(svc, `?limit=2${cursor === undefined ? '' : `&cursor=${cursor}`}`)
    seen.push(...page.tasks.map(({ id }) => id))
    cursor = page.next_cursor
    if (cursor === undefined) break
  }
  expect(seen).toEqual(ids)
  expect(await list(svc, '?limit=5')).not.toHaveProperty('next_cursor')
})

test('type and status filter tasks, and healthy recurring ones are omitted', async () => {
  await using svc = await start()
  const failed = await put(svc, 'fail')
  const other = await put(svc, 'fail', { of: 'otherWork' })
  const routine = await put(svc, 'done', { of: 'routine', inMs: 3_600_000 })
  const brokenRoutine = await put(svc, 'fail', { of: 'routine' })
  for (const id of [failed, other, brokenRoutine]) await settled(svc, id, 'failed')
  const ids = async (query: string) => (await list(svc, query)).tasks.map(({ id }) => id)
  expect(await ids('')).toEqual([brokenRoutine, other, failed])
  expect(await ids('?type=test_work')).toEqual([failed])
  expect(await ids('?status=pending')).not.toContain(routine)
  await svc.call('POST', `/api/v1/tasks/${failed}/acknowledge`)
  expect(await ids('?status=dismissed')).toEqual([failed])
  expect(await ids('?status=failed')).toEqual([brokenRoutine, other])
  expect(promised(taskStats, await svc.call('GET', '/api/v1/tasks/stats'))).toEqual(
    expect.arrayContaining([
      { type: 'test_work', operation: 'Do test_work', status: 'dismissed', count: 1 },
      { type: 'test_other_work', operation: 'Do test_other_work', status: 'failed', count: 1 },
      { type: 'test_routine', operation: 'Do test_routine', status: 'failed', count: 1 },
    ]),
  )
})

test.each([
  'type=nothing',
  'status=queued',
  'limit=0',
  'limit=101',
  'limit=x',
  'cursor=0',
  'cursor=-1',
  'stage=upload',
  'offset=10',
  'category=x',
])('a list with %s is refused', async (query) => {
  await using svc = await start()
  expect(await svc.call('GET', `/api/v1/tasks?${query}`)).toMatchObject({ status: 400, body: { code: expect.any(String) } })
})

test('a removed list parameter is refused with a message that names the cursor', async () => {
  await using svc = await start()
  const { body } = await svc.call('GET', '/api/v1/tasks?offset=')
  expect(body.error).toBe('offset must be left out: the list is paged by cursor.')
  expect((await svc.call('GET', '/api/v1/tasks?offset=10')).body.error).toBe(body.error)
})

test('a retryable failed task is retried, any other is refused', async () => {
  await using svc = await start()
  const failed = await put(svc, 'fail')
  const hopeless = await put(svc, 'fail permanently')
  const scheduled = await put(svc, 'done', { inMs: 3_600_000 })
  for (const id of [failed, hopeless]) await settled(svc, id, 'failed')
  const retry = (id: number | string) => svc.call('POST', `/api/v1/tasks/${id}/retry`)
  expect(promised(retryTask, await retry(failed))).toEqual({ status: 'pending' })
  expect(await retry(hopeless)).toMatchObject({ status: 409, body: { code: 'task_retry_unsupported' } })
  expect(await retry(scheduled)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  expect(await retry(999)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  for (const id of ['0', '-1', 'x', '1.5', '9007199254740993']) expect(await retry(id)).toMatchObject({ status: 400 })
})

test('a failed task is dismissed once', async () => {
  await using svc = await start()
  const failed = await put(svc, 'fail')
  await settled(svc, failed, 'failed')
  const acknowledge = (id: number) => svc.call('POST', `/api/v1/tasks/${id}/acknowledge`)
  expect(promised(acknowledgeTask, await acknowledge(failed))).toEqual({ status: 'acknowledged' })
  const shown = await settled(svc, failed, 'dismissed')
  expect(shown).toMatchObject({ status: 'failed', acknowledgeable: false, acknowledged_at: expect.any(String) })
  expect(await acknowledge(failed)).toMatchObject({ status: 409, body: { code: 'task_not_acknowledgeable' } })
  expect(await acknowledge(999)).toMatchObject({ status: 404, body: { code: 'not_found' } })
})

test('passing the as_of of a preview back dismisses exactly the counted failures', async () => {
  await using svc = await start()
  const counted = [await put(svc, 'fail'), await put(svc, 'fail', { of: 'otherWork' })]
  for (const id of counted) await settled(svc, id, 'failed')
  const preview = promised(previewAcknowledge, await svc.call('GET', '/api/v1/tasks/acknowledge/preview'))
  expect(preview).toEqual({ count: 2, as_of: expect.stringMatching(/\.\d{3}Z$/) })
  const one = promised(previewAcknowledge, await svc.call('GET', '/api/v1/tasks/acknowledge/preview?type=test_work'))
  expect(one.count).toBe(1)
  // A failure of a later millisecond.
  await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(preview.as_of))
  const later = await put(svc, 'fail')
  await settled(svc, later, 'failed')
  const answer = await svc.call('POST', '/api/v1/tasks/acknowledge', { failed_before: preview.as_of })
  expect(promised(acknowledgeTasks, answer)).toEqual({ acknowledged: 2 })
  expect((await list(svc, '?status=failed')).tasks.map(({ id }) => id)).toEqual([later])
  const rest = await svc.call('POST', '/api/v1/tasks/acknowledge')
  expect(promised(acknowledgeTasks, rest)).toEqual({ acknowledged: 1 })
})

test('only failures of the given type are dismissed', async () => {
  await using svc = await start()
  const mine = await put(svc, 'fail')
  const other = await put(svc, 'fail', { of: 'otherWork' })
  for (const id of [mine, other]) await settled(svc, id, 'failed')
  expect((await svc.call('POST', '/api/v1/tasks/acknowledge', { type: 'test_work' })).body).toEqual({ acknowledged: 1 })
  expect((await list(svc, '?status=failed')).tasks.map(({ id }) => id)).toEqual([other])
})

test.each([
  ['an unknown type', '{"type":"nothing"}'],
  ['an invalid time', '{"failed_before":"yesterday"}'],
  ['a date without a time', '{"failed_before":"2026-01-31"}'],
  ['an unknown member', '{"before":"2026-01-31T12:00:00Z"}'],
  ['trailing content', '{} {}'],
  ['a repeated member', '{"type":"test_work","type":"test_work"}'],
  ['null', 'null'],
  ['a list', '[]'],
  ['a body over 4 KiB', `{"type":"test_work"${' '.repeat(4096)}}`],
])('a bulk acknowledgement with %s is refused and dismisses nothing', async (_name, body) => {
  await using svc = await start()
  await settled(svc, await put(svc, 'fail'), 'failed')
  const response = await svc.fetch('/api/v1/tasks/acknowledge', { method: 'POST', body })
  expect([response.status, await response.json()]).toMatchObject([400, { code: expect.any(String) }])
  expect((await list(svc, '?status=failed')).tasks).toHaveLength(1)
})

test('an unknown type cannot be previewed', async () => {
  await using svc = await start()
  const refused = await svc.call('GET', '/api/v1/tasks/acknowledge/preview?type=nothing')
  expect(refused).toMatchObject({ status: 400, body: { code: 'unknown_task_type' } })
})
