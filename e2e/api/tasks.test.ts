/** Background tasks over HTTP: list, retry, acknowledgement and counts. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ListedTask, startTaskGateway, type TaskGateway } from '../fixtures/task-gateway.ts'

let svc: TaskGateway
beforeAll(async () => {
  svc = await startTaskGateway()
})
afterAll(() => svc[Symbol.asyncDispose]())

const get = async (path: string) => (await svc.call('GET', path)).json
const stats = (): Promise<readonly { readonly type: string; readonly status: string; readonly count: number }[]> =>
  get('/api/v1/tasks/stats')
const overview = async () => (await get('/api/v1/overview')).tasks
const acknowledge = (id: number | string) => svc.call('POST', `/api/v1/tasks/${id}/acknowledge`)
const retry = (id: number | string) => svc.call('POST', `/api/v1/tasks/${id}/retry`)
const preview = (query = '') => svc.call('GET', `/api/v1/tasks/acknowledge/preview${query}`)
const acknowledgeAll = (json?: object) => svc.call('POST', '/api/v1/tasks/acknowledge', json === undefined ? {} : { json })
const idsOf = async (query: string) => (await svc.list(query)).tasks.map(({ id }) => id)

/** All pages, one after the other. `betweenPages` runs after each page but the last. */
async function walk(query: string, betweenPages: () => Promise<unknown> = async () => {}): Promise<readonly ListedTask[]> {
  const seen: ListedTask[] = []
  for (let cursor: number | undefined; ; ) {
    const page = await svc.list(`?${query}${cursor === undefined ? '' : `&cursor=${cursor}`}`)
    seen.push(...page.tasks)
    cursor = page.next_cursor
    if (cursor === undefined) return seen
    await betweenPages()
  }
}

// Later tests must not see the failures of this one.
beforeEach(async () => {
  await svc.release()
  await acknowledgeAll()
})

describe('the list', () => {
  test('shows the presentation status: running and queued', async () => {
    const running = await svc.putUntil('running', { of: 'oneByOne', end: 'hold', name: 'first' })
    expect(running).toMatchObject({
      type: 'test_one_by_one',
      operation: 'Deliver one parcel at a time',
      status: 'running',
      subject: { type: 'parcel', key: 'first', bucket: 'photos' },
      started_at: expect.any(String),
      retryable: false,
      acknowledgeable: false,
    })
    expect(await svc.putUntil('queued', { of: 'oneByOne', end: 'done' })).toMatchObject({ status: 'pending' })
  })

  test('shows the presentation status: scheduled, waiting and completed', async () => {
    const scheduled = await svc.putUntil('scheduled', { end: 'done', in_ms: 3_600_000 })
    expect(scheduled.status).toBe('pending')
    expect(Date.parse(String(scheduled.available_at))).toBeGreaterThan(Date.now() + 3_000_000)
    const waiting = await svc.putUntil('waiting', { end: 'wait' })
    expect(waiting).toMatchObject({ status: 'pending', wait_reason: 'funding', status_message: 'the deposit is too small', retry_count: 0 })
    expect(waiting).not.toHaveProperty('last_error')
    const completed = await svc.putUntil('completed', { end: 'done' })
    expect(completed).toMatchObject({ status: 'completed', finished_at: expect.any(String), retryable: false, acknowledgeable: false })
    expect(completed).not.toHaveProperty('last_error')
  })

  test('shows why a task failed, and that it is retried after a fault', async () => {
    const failed = await svc.putUntil('failed', { end: 'fail' })
    expect(failed).toMatchObject({
      status: 'failed',
      failure_reason: 'refused',
      last_error: 'the depot was closed',
      retry_count: 0,
      retry_limit: 4,
      retryable: true,
      acknowledgeable: true,
    })
    expect(await svc.putUntil('failed', { of: 'onceOnly', end: 'throw' })).toMatchObject({
      failure_reason: 'attempts_exhausted',
      last_error: expect.stringContaining('the carrier is ill'),
      retry_count: 0,
      retry_limit: 0,
    })
    const [again] = await svc.put({ end: 'throw' })
    await expect
      .poll(async () => (await svc.list()).tasks.find(({ id, retry_count }) => id === again && retry_count === 1))
      .toMatchObject({ status: 'pending', last_error: expect.stringContaining('the carrier is ill'), acknowledgeable: false })
  })

  test('shows times in UTC and whole seconds', async () => {
    const task = await svc.putUntil('completed', { end: 'done' })
    for (const name of ['available_at', 'created_at', 'updated_at', 'started_at', 'finished_at'] as const) {
      expect(task[name]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    }
  })

  test('is newest first, and filtered by type and status', async () => {
    const mine = await svc.putUntil('failed', { of: 'collect', end: 'fail' })
    const other = await svc.putUntil('failed', { end: 'fail' })
    const waiting = await svc.putUntil('waiting', { of: 'collect', end: 'wait' })
    const completed = await svc.putUntil('completed', { of: 'collect', end: 'done' })
    expect(await idsOf('?limit=4')).toEqual([completed.id, waiting.id, other.id, mine.id])
    expect(await idsOf('?type=test_collect&limit=3')).toEqual([completed.id, waiting.id, mine.id])
    expect(await idsOf('?status=failed')).toEqual([other.id, mine.id])
    expect(await idsOf('?status=failed&type=test_collect')).toEqual([mine.id])
    expect(await idsOf('?status=pending&limit=1')).toEqual([waiting.id])
    expect(await idsOf('?status=completed&limit=1')).toEqual([completed.id])
    expect(await idsOf('?status=cancelled')).toEqual([])
    await acknowledge(mine.id)
    expect(await idsOf('?status=failed')).toEqual([other.id])
    expect(await idsOf('?status=dismissed&limit=1')).toEqual([mine.id])
    expect(await idsOf('?status=dismissed&type=test_collect&limit=1')).toEqual([mine.id])
  })

  test('shows running tasks for that status', async () => {
    const held = await svc.putUntil('running', { end: 'hold' })
    expect(await idsOf('?status=running')).toContain(held.id)
    await svc.release()
    await expect.poll(() => idsOf('?status=running')).not.toContain(held.id)
  })

  test('omits recurring tasks unless they failed', async () => {
    await svc.put({ of: 'routine', end: 'done', in_ms: 3_600_000 })
    const broken = await svc.putUntil('failed', { of: 'routine', end: 'fail' })
    expect(await idsOf('?type=test_routine')).toEqual([broken.id])
    expect(await idsOf('?type=test_routine&status=pending')).toEqual([])
    expect((await stats()).filter(({ type }) => type === 'test_routine')).toMatchObject([
      { type: 'test_routine', status: 'failed', count: 1 },
    ])
    await acknowledge(broken.id)
    expect(await idsOf('?type=test_routine')).toEqual([broken.id])
  })

  test('is paged by cursor, without skipping or repeating tasks while others are added', async () => {
    const ids = [...(await svc.put({ of: 'stubborn', end: 'wait', count: 25 }))].reverse()
    const seen = await walk('type=test_stubborn&limit=10', () => svc.put({ of: 'stubborn', end: 'wait', count: 3 }))
    expect(seen.map(({ id }) => id)).toEqual(ids)
    const page = await svc.list('?type=test_stubborn&limit=10')
    expect(page.tasks).toHaveLength(10)
    expect(page.next_cursor).toBe(page.tasks[9]?.id)
  })

  test('has no next cursor on the last page, also when that is exactly full', async () => {
    const [third, second, first] = [...(await svc.put({ of: 'onceOnly', end: 'done', count: 3, in_ms: 3_600_000 }))].reverse()
    expect(await svc.list('?type=test_once_only&status=pending&limit=2')).toMatchObject({
      tasks: [{ id: third }, { id: second }],
      next_cursor: second,
    })
    const full = await svc.list('?type=test_once_only&status=pending&limit=3')
    expect(full.tasks.map(({ id }) => id)).toEqual([third, second, first])
    expect(full).not.toHaveProperty('next_cursor')
    expect(await svc.list('?cursor=1')).toEqual({ tasks: [] })
  })

  test('has fifty tasks per page by default, and at most a hundred', async () => {
    await svc.put({ of: 'stubborn', end: 'wait', count: 101 })
    expect((await svc.list()).tasks).toHaveLength(50)
    expect((await svc.list('?limit=1')).tasks).toHaveLength(1)
    expect((await svc.list('?limit=100')).tasks).toHaveLength(100)
  })

  test.each([
    ['type=nothing', 'unknown_task_type'],
    ['type=', 'unknown_task_type'],
    ['status=queued', 'invalid_request'],
    ['status=Failed', 'invalid_request'],
    ['limit=0', 'invalid_request'],
    ['limit=101', 'invalid_request'],
    ['limit=-1', 'invalid_request'],
    ['limit=1.5', 'invalid_request'],
    ['limit=ten', 'invalid_request'],
    ['limit=', 'invalid_request'],
    ['cursor=0', 'invalid_request'],
    ['cursor=-5', 'invalid_request'],
    ['cursor=next', 'invalid_request'],
    ['cursor=9007199254740993', 'invalid_request'],
    ['stage=upload', 'invalid_request'],
    ['offset=0', 'invalid_request'],
    ['category=storage', 'invalid_request'],
  ])('refuses %s', async (query, code) => {
    const reply = await svc.call('GET', `/api/v1/tasks?${query}`)
    expect([reply.status, reply.json]).toEqual([400, expect.objectContaining({ error: expect.any(String), code })])
  })
})

describe('a retry', () => {
  test('makes a failed task pending with all its attempts, and it runs again', async () => {
    const failed = await svc.putUntil('failed', { end: 'fail once' })
    const reply = await retry(failed.id)
    expect([reply.status, reply.json]).toEqual([200, { status: 'pending' }])
    await expect
      .poll(async () => (await svc.list()).tasks.find(({ id, status }) => id === failed.id && status === 'completed'))
      .toBeDefined()
    const [task] = (await svc.list('?status=completed&limit=1')).tasks
    expect(task).toMatchObject({ id: failed.id, retry_count: 0 })
    for (const gone of ['last_error', 'failure_reason']) expect(task).not.toHaveProperty(gone)
  })

  test('undoes a dismissal', async () => {
    const failed = await svc.putUntil('failed', { end: 'fail' })
    await acknowledge(failed.id)
    expect((await retry(failed.id)).status).toBe(200)
    await expect.poll(() => idsOf('?status=failed')).toEqual([failed.id])
    expect(await idsOf('?status=dismissed&limit=1')).not.toEqual([failed.id])
  })

  test('is refused for a task that cannot be retried', async () => {
    const refused = { status: 409, json: { code: 'task_retry_unsupported', error: expect.any(String) } }
    const final = await svc.putUntil('failed', { end: 'fail permanently' })
    expect(final.retryable).toBe(false)
    expect(await retry(final.id)).toMatchObject(refused)
    const stubborn = await svc.putUntil('failed', { of: 'stubborn', end: 'fail' })
    expect(stubborn.retryable).toBe(false)
    expect(await retry(stubborn.id)).toMatchObject(refused)
    const overtaken = await svc.putUntil('failed', { end: 'fail', key: 'one parcel' })
    await svc.putUntil('waiting', { end: 'wait', key: 'one parcel' })
    expect(await retry(overtaken.id)).toMatchObject(refused)
  })

  test('applies to failed tasks only', async () => {
    const waiting = await svc.putUntil('waiting', { end: 'wait' })
    const completed = await svc.putUntil('completed', { end: 'done' })
    for (const id of [waiting.id, completed.id, 999_999]) {
      expect(await retry(id)).toMatchObject({ status: 404, json: { code: 'not_found' } })
    }
    for (const id of ['0', '-1', 'x', '1.5', '9007199254740993']) expect((await retry(id)).status).toBe(400)
  })
})

describe('an acknowledgement', () => {
  test('dismisses a failure, once', async () => {
    const failed = await svc.putUntil('failed', { end: 'fail' })
    const reply = await acknowledge(failed.id)
    expect([reply.status, reply.json]).toEqual([200, { status: 'acknowledged' }])
    expect((await svc.list('?status=dismissed&limit=1')).tasks).toMatchObject([
      {
        id: failed.id,
        status: 'failed',
        presentation_status: 'dismissed',
        acknowledgeable: false,
        acknowledged_at: expect.any(String),
        last_error: 'the depot was closed',
      },
    ])
    expect(await acknowledge(failed.id)).toMatchObject({ status: 409, json: { code: 'task_not_acknowledgeable' } })
  })

  test('applies to failed tasks only', async () => {
    const waiting = await svc.putUntil('waiting', { end: 'wait' })
    for (const id of [waiting.id, 999_999]) expect(await acknowledge(id)).toMatchObject({ status: 404, json: { code: 'not_found' } })
    for (const id of ['0', '-1', 'x', '1.5']) expect((await acknowledge(id)).status).toBe(400)
  })

  test('is counted as dismissed by the statistics and as failed by the overview, where it needs no attention', async () => {
    const before = await overview()
    const countOf = async (status: string) =>
      (await stats()).find((row) => row.type === 'test_collect' && row.status === status)?.count ?? 0
    const dismissedBefore = await countOf('dismissed')
    const [first, second] = [
      await svc.putUntil('failed', { of: 'collect', end: 'fail' }),
      await svc.putUntil('failed', { of: 'collect', end: 'fail' }),
    ]
    expect(await overview()).toMatchObject({ by_status: { failed: before.by_status.failed + 2 }, attention: { failed: 2 } })
    expect(await countOf('failed')).toBe(2)
    await acknowledge(first.id)
    expect(await overview()).toMatchObject({ by_status: { failed: before.by_status.failed + 2 }, attention: { failed: 1 } })
    expect([await countOf('failed'), await countOf('dismissed')]).toEqual([1, dismissedBefore + 1])
    await acknowledge(second.id)
    expect((await overview()).attention.failed).toBe(0)
    expect(await countOf('failed')).toBe(0)
  })
})

describe('the statistics', () => {
  test('count every type by status', async () => {
    await svc.putUntil('waiting', { of: 'collect', end: 'wait' })
    const rows = await stats()
    expect(rows).toContainEqual({
      type: 'test_collect',
      status: 'pending',
      count: (await walk('type=test_collect&status=pending&limit=100')).length,
    })
    for (const row of rows) {
      expect(Object.keys(row).sort()).toEqual(['count', 'status', 'type'])
      expect(['pending', 'running', 'completed', 'failed', 'cancelled', 'dismissed']).toContain(row.status)
    }
    const { by_status } = await overview()
    const sum = (...statuses: string[]) => rows.reduce((n, { status, count }) => (statuses.includes(status) ? n + count : n), 0)
    expect(by_status).toMatchObject({
      pending: sum('pending'),
      completed: sum('completed'),
      failed: sum('failed', 'dismissed'),
      cancelled: 0,
    })
  })
})

describe('a bulk acknowledgement', () => {
  test('of a preview dismisses exactly what was counted', async () => {
    const counted = [await svc.putUntil('failed', { end: 'fail' }), await svc.putUntil('failed', { of: 'collect', end: 'fail' })]
    const { status, json } = await preview()
    expect([status, json]).toEqual([200, { count: 2, as_of: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) }])
    expect((await preview('?type=test_collect')).json.count).toBe(1)
    const later = await svc.putUntil('failed', { end: 'fail' })
    const reply = await acknowledgeAll({ failed_before: json.as_of })
    expect([reply.status, reply.json]).toEqual([200, { acknowledged: 2 }])
    expect(await idsOf('?status=failed')).toEqual([later.id])
    expect((await idsOf('?status=dismissed&limit=2')).sort()).toEqual(counted.map(({ id }) => id).sort())
    expect((await acknowledgeAll({ failed_before: json.as_of })).json).toEqual({ acknowledged: 0 })
  })

  test('can be limited to one type', async () => {
    await svc.putUntil('failed', { of: 'collect', end: 'fail' })
    const other = await svc.putUntil('failed', { end: 'fail' })
    expect((await acknowledgeAll({ type: 'test_collect' })).json).toEqual({ acknowledged: 1 })
    expect(await idsOf('?status=failed')).toEqual([other.id])
  })

  test('takes a time in any zone and precision, and later failures stay', async () => {
    const failed = await svc.putUntil('failed', { end: 'fail' })
    expect((await acknowledgeAll({ failed_before: '2026-01-31T13:00:00.123456789+01:00' })).json).toEqual({ acknowledged: 0 })
    expect(await idsOf('?status=failed')).toEqual([failed.id])
    expect((await acknowledgeAll({ failed_before: '2999-01-01t00:00:00z' })).json).toEqual({ acknowledged: 1 })
  })

  test.each([
    ['no body', undefined],
    ['an empty body', ''],
    ['an empty object', '{}'],
    ['white space around it', ' \n{}\n '],
  ])('with %s dismisses every failure so far', async (_name, body) => {
    await svc.putUntil('failed', { end: 'fail' })
    const reply = await svc.call('POST', '/api/v1/tasks/acknowledge', body === undefined ? {} : { body })
    expect([reply.status, reply.json]).toEqual([200, { acknowledged: 1 }])
  })

  test('of up to 4 KiB is read', async () => {
    const body = `{"type":"test_deliver"}`.padEnd(4096)
    expect((await svc.call('POST', '/api/v1/tasks/acknowledge', { body })).status).toBe(200)
  })

  test.each([
    ['an unknown type', '{"type":"nothing"}'],
    ['a type that is no text', '{"type":7}'],
    ['null for a type', '{"type":null}'],
    ['a time that is none', '{"failed_before":"yesterday"}'],
    ['a date alone', '{"failed_before":"2026-01-31"}'],
    ['a time without a zone', '{"failed_before":"2026-01-31T12:00:00"}'],
    ['a number for a time', '{"failed_before":1769860800000}'],
    ['an unknown member', '{"before":"2026-01-31T12:00:00Z"}'],
    ['trailing content', '{} {}'],
    ['a list', '[]'],
    ['null', 'null'],
    ['no JSON', 'all of them'],
    ['more than 4 KiB', `{"type":"test_deliver"}`.padEnd(4097)],
  ])('with %s is refused and dismisses nothing', async (_name, body) => {
    const failed = await svc.putUntil('failed', { end: 'fail' })
    const reply = await svc.call('POST', '/api/v1/tasks/acknowledge', { body })
    expect([reply.status, reply.json]).toEqual([400, expect.objectContaining({ error: expect.any(String), code: expect.any(String) })])
    expect(await idsOf('?status=failed')).toEqual([failed.id])
  })

  test('of an unknown type has no preview either', async () => {
    expect(await preview('?type=nothing')).toMatchObject({ status: 400, json: { code: 'unknown_task_type' } })
  })

  test('dismisses exactly the failures of its preview, repeatedly, while eight writers add failures', async () => {
    const putByEach = 15
    const perPut = 10
    const total = 8 * putByEach * perPut
    const write = async () => {
      for (let n = 0; n < putByEach; n++) await svc.put({ end: 'fail', count: perPut })
    }
    const writers = Promise.all(Array.from({ length: 8 }, write))
    let dismissed = 0
    // Rounds in which tasks failed between the preview and its use.
    let roundsUnderLoad = 0
    while (dismissed < total) {
      const { count, as_of } = (await preview()).json
      const nowFailed = (await preview()).json.count
      expect((await acknowledgeAll({ failed_before: as_of })).json).toEqual({ acknowledged: count })
      dismissed += count
      if (nowFailed > count) roundsUnderLoad++
    }
    await writers
    expect(dismissed).toBe(total)
    expect(roundsUnderLoad).toBeGreaterThan(3)
    expect((await overview()).attention.failed).toBe(0)
  })
})

test.each([
  ['GET', '/api/v1/tasks'],
  ['GET', '/api/v1/tasks/stats'],
  ['GET', '/api/v1/tasks/acknowledge/preview'],
  ['POST', '/api/v1/tasks/acknowledge'],
  ['POST', '/api/v1/tasks/1/acknowledge'],
  ['POST', '/api/v1/tasks/1/retry'],
])('%s %s requires an operator', async (method, path) => {
  expect((await svc.call(method, path, { as: 'anonymous' })).status).toBe(401)
})
