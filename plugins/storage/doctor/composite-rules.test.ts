import { afterAll, beforeAll, expect, test } from 'vitest'
import { allRows, getRow, runSql } from '#kernel/testing'
import { checkInvariants } from '../testing/check-invariants.ts'
import { openVersionStorage, type VersionStorage } from '../testing/version-storage.ts'

const bytesMax = 1024

let storage: VersionStorage
/** A composite and its parts. */
let ids: { whole: number; first: number; second: number; empty: number }

beforeAll(async () => {
  const sizes = { bytesMin: 0, bytesMax: 64 * bytesMax }
  storage = await openVersionStorage({ sizes, parts: { bytesMax, roomWaitMs: 0, roomWaitMsMax: 0, roomPollMs: 1 } })
  const { contentId } = await storage.put('large', Buffer.concat([Buffer.alloc(bytesMax, 'a'), Buffer.alloc(100, 'b')]))
  const partOf = async (partNo: number) =>
    await getRow<{ id: number }>(
      storage.database.read,
      'select part_content_id as id from content_parts where content_id = ? and part_no = ?',
      contentId,
      partNo,
    )
  const { contentId: emptyId } = await storage.put('empty', '')
  ids = { whole: contentId ?? 0, first: (await partOf(0))?.id ?? 0, second: (await partOf(1))?.id ?? 0, empty: emptyId ?? 0 }
})

afterAll(() => storage[Symbol.asyncDispose]())

class RolledBack extends Error {}

/** Applies the change in a transaction, returns what checkInvariants reports, and rolls back. */
async function problemsWith(change: (of: typeof ids) => string): Promise<readonly string[]> {
  let problems: readonly string[] = []
  const transaction = storage.database.write(async (tx) => {
    await runSql(tx, change(ids))
    problems = await checkInvariants(tx)
    throw new RolledBack()
  })
  await expect(transaction).rejects.toBeInstanceOf(RolledBack)
  return problems
}

test('composites, their parts and empty contents have no problems', async () => {
  await storage.expectSound()
})

type Ids = typeof ids

test.each([
  ['I-18: hold_count is not', ({ first }: Ids) => `update contents set hold_count = 0 where id = ${first}`],
  [
    'I-18: hold_count is not',
    ({ first }: Ids) => `insert into held_parts (holder, part_no, content_id, offset_bytes, length) values ('h', 0, ${first}, 0, 1024)`,
  ],
  [
    'I-18: an unfinished upload holds',
    ({ first }: Ids) => `insert into held_parts (holder, part_no, content_id, offset_bytes, length) values ('h', 0, ${first}, 0, 7)`,
  ],
  ['I-18: no version, composite or', ({ first }: Ids) => `update contents set state = 'deleting' where id = ${first}`],
  ['I-18: a composite has other parts', ({ whole }: Ids) => `delete from content_parts where content_id = ${whole} and part_no = 1`],
  ['I-18: a composite has other parts', ({ whole }: Ids) => `update contents set part_count = 0 where id = ${whole}`],
  [
    'I-18: a composite has other parts',
    ({ whole }: Ids) => `insert into cache_entries (content_id, bytes, accessed_at, cached_at) values (${whole}, 0, 0, 0)`,
  ],
  ['I-18: a part is not at the end', ({ second }: Ids) => `update content_parts set offset_bytes = 1 where part_content_id = ${second}`],
  ['I-18: a part is not at the end', ({ second }: Ids) => `update content_parts set length = 99 where part_content_id = ${second}`],
  ['I-19: the state or the copies', ({ whole }: Ids) => `update contents set durable_copies = 1 where id = ${whole}`],
  ['I-19: the state or the copies', ({ whole }: Ids) => `update contents set store_state = 'stored' where id = ${whole}`],
  ['I-20: the bytes are neither', ({ second }: Ids) => `update cache_entries set state = 'evicting' where content_id = ${second}`],
  ['I-20: an empty content', ({ empty }: Ids) => `update contents set store_state = 'unstored' where id = ${empty}`],
])('%s… is reported after a change of rows', async (problem, change) => {
  expect(await problemsWith(change)).toContainEqual(expect.stringContaining(problem))
})

test('a recount of a composite or of an empty content changes nothing of it', async () => {
  const { database, contents } = storage
  const rows = () => allRows(database.read, 'select * from contents where id in (?, ?) order by id', ids.whole, ids.empty)
  const before = await rows()
  await database.write(async (tx) => {
    await contents.recount(tx, [ids.whole, ids.empty], Date.now() + 1000)
  })
  expect(await rows()).toEqual(before)
})
