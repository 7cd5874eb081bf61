import { expect, test } from 'vitest'
import { allRows, runSql, runsOnSqlite, watchStatements } from '#kernel/testing'
import { openVersionStorage, type VersionStorage } from '../../storage/testing/version-storage.ts'
import { sumTargets } from './bulk-sum-store.ts'

/** Adds current versions of 7 bytes with the keys `k/<number>`. */
async function addHeads({ database, buckets }: VersionStorage, count: number): Promise<number> {
  const { id } = buckets.require('photos')
  await database.write((tx) =>
    runSql(
      tx,
      `insert into object_heads (bucket_id, key, version_id, rseq, content_id, size, etag, last_modified)
       with recursive n (i) as (select 1 union all select i + 1 from n where i < ?)
       select ?, 'k/' || cast(100000 + i as text), 'v' || cast(i as text), -i, 1, 7, '', 0 from n`,
      count,
      id,
    ),
  )
  return id
}

/** Counts the pages that are read. `onPage` runs before each. */
function watchPages(storage: VersionStorage, onPage: (texts: readonly string[]) => void = () => {}) {
  const texts: string[] = []
  const read = watchStatements(storage.database.read, (sql) => {
    texts.push(sql)
    onPage(texts)
  })
  return { texts, deps: { read, versions: storage.versions } }
}

const { signal } = new AbortController()

test('a count over several pages counts each key once, also the one at the end of a page', async () => {
  await using storage = await openVersionStorage()
  const bucketId = await addHeads(storage, 2500)
  const { texts, deps } = watchPages(storage)
  const sum = await sumTargets(deps, bucketId, { action: 'move_to_trash', targets: [{ prefix: '' }, { key: 'k/102500' }] }, { signal })
  expect(sum).toEqual({ objects: 2501, versions: 2501, bytes: 7n * 2501n })
  expect(texts).toHaveLength(4)
})

test.runIf(runsOnSqlite())('a page is read from its lower bound on, and not from the start of the bucket', async () => {
  await using storage = await openVersionStorage()
  for (const action of ['move_to_trash', 'restore'] as const) {
    const { texts, deps } = watchPages(storage)
    await sumTargets(deps, 1, { action, targets: [{ prefix: 'k/' }] }, { signal })
    const [sql = ''] = texts
    const values = Array<number>(sql.split('?').length - 1).fill(0)
    const steps = await allRows<{ opcode: string }>(storage.database.read, `explain ${sql}`, ...values)
    // The lower bound belongs to the range. A search that begins behind a value would use another one, and step over the keys below the bound.
    expect(steps.map(({ opcode }) => opcode).filter((opcode) => opcode.startsWith('Seek'))).toContain('SeekGE')
    expect(steps.map(({ opcode }) => opcode)).not.toContain('SeekGT')
  }
})

test('a count ends with the page that reaches the most objects', async () => {
  await using storage = await openVersionStorage()
  const bucketId = await addHeads(storage, 2500)
  const { texts, deps } = watchPages(storage)
  const targets = [{ prefix: '' }, { prefix: '' }]
  expect((await sumTargets(deps, bucketId, { action: 'move_to_trash', targets }, { signal, objectsMax: 1001 })).objects).toBe(2000)
  expect(texts).toHaveLength(2)
})

test('a count whose request was answered reads no further page', async () => {
  await using storage = await openVersionStorage()
  const bucketId = await addHeads(storage, 2500)
  const request = new AbortController()
  const { texts, deps } = watchPages(storage, (read) => {
    if (read.length === 2) request.abort(new Error('answered'))
  })
  const counting = sumTargets(deps, bucketId, { action: 'move_to_trash', targets: [{ prefix: '' }] }, { signal: request.signal })
  await expect(counting).rejects.toThrow('answered')
  expect(texts).toHaveLength(2)
})
