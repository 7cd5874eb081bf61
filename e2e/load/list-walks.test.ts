/** Reads every list page by page while rows are added: each row that existed before is listed exactly once. */
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { database } from '#kernel'
import { allRows, runSql, type TestKernel } from '#kernel/testing'
import { s3Users } from '#plugins/s3'
import { buckets } from '#plugins/storage'
import { deleteObject, objectsOf, startFilledService, upload } from './filled-service.ts'
import { historyKey, insertTasks, keyAt } from './stored-rows.ts'

/** Rows per list, enough for many pages; set `SVC_WALK_ROWS=100000` for longer lists. */
const rows = Number(process.env.SVC_WALK_ROWS ?? 20_000)
const testMs = 300_000

let svc: TestKernel
beforeAll(async () => {
  svc = await startFilledService(rows)
}, testMs)
afterAll(() => svc.stop())

// biome-ignore lint/suspicious/noExplicitAny: pages have different shapes
type Page = any

interface Walk {
  readonly path: string
  /** The unique key or id of each row of a page. */
  items(page: Page): readonly (string | number)[]
  /** Query parameters of the next page; undefined after the last page. */
  next(page: Page): Readonly<Record<string, string>> | undefined
  /** Adds rows; called repeatedly with an ascending number. */
  write(turn: number): Promise<unknown>
}

/** Returns the rows of all pages. Writes run concurrently and also between pages. */
async function walk({ path, items, next, write }: Walk): Promise<readonly (string | number)[]> {
  const seen: (string | number)[] = []
  let turns = 0
  let isFinished = false
  const writing = (async () => {
    while (!isFinished) {
      await write(turns++)
      await pause(20)
    }
  })()
  try {
    for (let more: Readonly<Record<string, string>> | undefined = {}; more !== undefined; ) {
      const { status, body } = await svc.call('GET', `${path}&${new URLSearchParams(more)}`)
      if (status !== 200) throw new Error(`reading a page failed: ${status} ${JSON.stringify(body)}`)
      seen.push(...items(body))
      more = next(body)
      await write(turns++)
    }
  } finally {
    isFinished = true
    await writing
  }
  return seen
}

/** Expects no row twice, and all rows of `before` in their order. */
function expectComplete(seen: readonly (string | number)[], before: readonly (string | number)[]): void {
  expect(new Set(seen).size).toBe(seen.length)
  const wanted = new Set(before)
  const found = seen.filter((item) => wanted.has(item))
  expect(found.length).toBe(before.length)
  expect(found.findIndex((item, at) => item !== before[at])).toBe(-1)
}

const column = async (sql: string, ...params: (string | number)[]): Promise<(string | number)[]> =>
  (await allRows<{ value: string | number }>(svc.kernel.get(database).read, sql, ...params)).map(({ value }) => value)
const bucketId = async (name: string): Promise<number> => Number((await column('select id as value from buckets where name = ?', name))[0])

/** Keys that sort before, between and after the existing keys. */
const newKey = (turn: number): string => [`a/${turn}`, `${keyAt((turn * 7919) % rows)}.new`, `z/${turn}`][turn % 3] ?? ''

const byMarker = (page: Page) => (page.has_more ? { after: page.next_marker } : undefined)

test('objects, flat', { timeout: testMs }, async () => {
  const before = await column('select key as value from object_heads where bucket_id = ? order by key', await bucketId('objects'))
  const seen = await walk({
    path: `${objectsOf('objects')}?limit=1000`,
    items: (page) => page.objects.map((object: { key: string }) => object.key),
    next: byMarker,
    write: (turn) => upload(svc, 'objects', newKey(turn)),
  })
  expectComplete(seen, before)
})

test('objects in folders, and the folders themselves', { timeout: testMs }, async () => {
  const write = (turn: number) => upload(svc, 'objects', newKey(turn))
  const folders = await walk({
    path: `${objectsOf('objects')}?limit=7&delimiter=/&prefix=photos/`,
    items: (page) => [...page.folders, ...page.objects].map((entry: { prefix?: string; key?: string }) => entry.prefix ?? entry.key ?? ''),
    next: byMarker,
    write,
  })
  expectComplete(
    folders,
    Array.from({ length: rows / 1000 }, (_, n) => `photos/${String(n).padStart(4, '0')}/`),
  )
  const [folder] = folders.slice(-1)
  const inside = await column(
    "select key as value from object_heads where bucket_id = ? and key like ? || '%' order by key",
    await bucketId('objects'),
    folder ?? '',
  )
  const seen = await walk({
    path: `${objectsOf('objects')}?limit=50&delimiter=/&prefix=${folder}`,
    items: (page) => page.objects.map((object: { key: string }) => object.key),
    next: byMarker,
    write,
  })
  expectComplete(seen, inside)
})

test('the versions of one key, each page with current_version_id', { timeout: testMs }, async () => {
  const before = await column(
    'select version_id as value from object_versions where bucket_id = ? order by rseq',
    await bucketId('history'),
  )
  const seen = await walk({
    path: `${objectsOf('history')}/versions?limit=1000&key=${historyKey}`,
    items: (page) => {
      expect(page.current_version_id).toMatch(/^[0-9A-Z]{26}$/)
      return page.versions.map((version: { version_id: string }) => version.version_id)
    },
    next: (page) => (page.has_more ? { version_marker: page.next_version_marker } : undefined),
    write: () => upload(svc, 'history', historyKey),
  })
  expectComplete(seen, before)
})

test('deleted objects', { timeout: testMs }, async () => {
  const before = await column('select key as value from object_tombstones where bucket_id = ? order by key', await bucketId('deleted'))
  const seen = await walk({
    path: `${objectsOf('deleted')}/deleted?limit=1000`,
    items: (page) => page.objects.map((object: { key: string }) => object.key),
    next: byMarker,
    write: async (turn) => {
      await upload(svc, 'deleted', newKey(turn))
      await deleteObject(svc, 'deleted', newKey(turn))
    },
  })
  expectComplete(seen, before)
})

test.each([
  ['all', '', ''],
  ['a prefix of many keys', '&prefix=photos/', "and key like 'photos/%'"],
  ['a prefix of the oldest keys', '&prefix=photos/0000/', "and key like 'photos/0000/%'"],
])('delete markers: %s', { timeout: testMs }, async (_name, query, filter) => {
  const before = await column(
    `select version_id as value from object_versions where bucket_id = ? and is_delete_marker = 1 ${filter} order by version_id desc`,
    await bucketId('deleted'),
  )
  const seen = await walk({
    path: `${objectsOf('deleted')}/deletions?limit=${before.length > 10_000 ? 1000 : 50}${query}`,
    items: (page) => page.deletions.map((deletion: { version_id: string }) => deletion.version_id),
    next: byMarker,
    write: (turn) => deleteObject(svc, 'deleted', keyAt((turn * 7919) % rows)),
  })
  expectComplete(seen, before)
})

test.each([
  ['of all data sets', rows],
  ['of a data set with few copies', 250],
])('affected versions %s', { timeout: testMs }, async (_name, copies) => {
  const db = svc.kernel.get(database)
  const id = await bucketId('objects')
  const [, sparse] = await column('select id as value from data_sets where bucket_id = ? order by slot', id)
  const isSparse = copies < rows
  if (isSparse)
    await db.write((tx) =>
      runSql(tx, "update copies set state = 'lost' where data_set_id = ? and piece_id % ? <> 0", sparse ?? 0, rows / copies),
    )
  const before = await column(
    `select v.version_id as value from object_versions v where v.bucket_id = ? and exists (
       select 1 from copies c where c.content_id = v.content_id and c.state = 'committed' ${isSparse ? `and c.data_set_id = ${sparse}` : ''}) order by v.key, v.rseq`,
    id,
  )
  expect(before.length).toBe(copies)
  const seen = await walk({
    path: `/api/v1/buckets/objects/storage-health/affected-versions?limit=${isSparse ? 20 : 1000}${isSparse ? `&local_data_set_id=${sparse}` : ''}`,
    items: (page) => page.versions.map((version: { version_id: string }) => version.version_id),
    next: (page) =>
      page.has_more
        ? {
            key_marker: page.next_key_marker,
            version_marker: page.next_version_marker,
            created_at_marker: page.next_created_at_marker,
            stale_before: page.stale_before,
          }
        : undefined,
    write: (turn) => upload(svc, 'objects', newKey(turn)),
  })
  expectComplete(seen, before)
})

/** Excludes tasks that the running service creates and deletes itself. */
const isOurs = "subject_type = 'thing' and kind <> 'task_gc'"

test.each([
  ['', ''],
  ['type=storage_store', "and kind = 'storage_store'"],
  ['status=completed', "and status = 'completed'"],
  ['status=failed', "and status = 'failed' and acknowledged_at is null"],
  ['status=dismissed', 'and acknowledged_at is not null'],
  ['status=pending&type=storage_pull', "and status = 'pending' and kind = 'storage_pull'"],
])('tasks with the filter "%s"', { timeout: testMs }, async (query, filter) => {
  const before = await column(`select id as value from tasks where ${isOurs} ${filter} order by id desc`)
  const seen = await walk({
    path: `/api/v1/tasks?limit=100${query === '' ? '' : `&${query}`}`,
    items: (page) => page.tasks.map((task: { id: number }) => task.id),
    next: (page) => (page.next_cursor === undefined ? undefined : { cursor: page.next_cursor }),
    // Adds tasks of every kind and status.
    write: () => insertTasks(svc.kernel.get(database), 20),
  })
  expectComplete(seen, before)
})

test('completed recurring tasks are not listed, however many there are', async () => {
  expect((await column("select count(*) as value from tasks where kind = 'task_gc' and status = 'completed'"))[0]).toBeGreaterThan(
    rows / 20,
  )
  expect((await svc.call('GET', '/api/v1/tasks?type=task_gc')).body).toEqual({ tasks: [] })
  const [middle] = await column(
    "select id as value from tasks where kind = 'task_gc' and subject_type = 'thing' order by id limit 1 offset ?",
    rows / 200,
  )
  const before = await column(`select id as value from tasks where ${isOurs} and id < ? order by id desc limit 100`, middle ?? 0)
  const { body } = await svc.call('GET', `/api/v1/tasks?limit=100&cursor=${middle}`)
  expect(body.tasks.map(({ id }: { id: number }) => id)).toEqual(before)
})

test('a thousand buckets and a thousand users are listed completely', async () => {
  const { kernel } = svc
  const names = Array.from({ length: 1000 }, (_, n) => `many-${String(n).padStart(4, '0')}`)
  await Promise.all(names.map((name) => kernel.get(buckets).create({ name, ownerAccessKey: null })))
  const made = await Promise.all(names.map(() => kernel.get(s3Users).create('user')))
  const listed = (await svc.call('GET', '/api/v1/buckets')).body.map(({ name }: { name: string }) => name)
  expect(listed).toEqual([...names, 'objects', 'history', 'deleted'].sort())
  const users = (await svc.call('GET', '/api/v1/s3-users')).body.map((user: { access_key: string }) => user.access_key)
  expect(users.sort()).toEqual(made.map(({ accessKey }) => accessKey).sort())
})
