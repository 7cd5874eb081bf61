import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Database, Reader, Tx } from '#kernel'
import { insertRow, openTestDatabase, queryPlan, runSql, runsOnSqlite, watchStatements } from '#kernel/testing'
import { contentSchemas } from '../../testing/schemas.ts'
import { allOpen } from '../../testing/test-pipeline.ts'
import { objectStateMetric } from './object-metrics.ts'
import { countStates } from './state-counts.ts'

async function openDatabase() {
  const database = await openTestDatabase(contentSchemas)
  await database.write(async (tx) => {
    await runSql(
      tx,
      "insert into buckets (id, name, default_copies, minimum_durable_copies, created_at, updated_at) values (1, 'photos', 2, 1, 0, 0)",
    )
    for (const slot of [0, 1, 2]) {
      await runSql(
        tx,
        `insert into data_sets (id, bucket_id, slot, generation, provider_id, provider_address, payee, service_url, client_data_set_id, state, created_at, updated_at)
         values (?, 1, ?, 1, ?, '', '', '', ?, 'ready', 0, 0)`,
        slot,
        slot,
        String(slot),
        String(slot),
      )
    }
  })
  return database
}

const zero = { cached: 0, uploading: 0, committing: 0, replicating: 0, stored: 0, failed: 0 }

async function distribution(database: Database): Promise<Record<string, number>> {
  const samples = await objectStateMetric.collect({ database, taskQueue: allOpen } as never)
  return Object.fromEntries(samples.map(({ labels, value }) => [labels.state, value]))
}

interface Planned {
  readonly storeState?: string
  readonly copies?: readonly string[]
  /** Number of keys whose current version has these bytes. */
  readonly current?: number
  /** Number of non-current versions with these bytes. */
  readonly older?: number
}

/** Inserts rows as the object operations and the pipeline write them. */
const plan = (database: Database, ...all: readonly Planned[]) =>
  database.write(async (tx) => {
    for (const planned of all) await place(tx, planned)
  })

async function place(tx: Tx, { storeState = 'unstored', copies = [], current = 1, older = 0 }: Planned): Promise<void> {
  const id = await insertRow(
    tx,
    `insert into contents (bucket_id, identity, size, ref_count, target_copies, store_state, created_at, updated_at)
     values (1, ?, 1, ?, 2, ?, 0, 0)`,
    randomUUID(),
    current + older,
    storeState,
  )
  const version = (key: string, rseq: number) =>
    runSql(
      tx,
      `insert into object_versions (bucket_id, key, rseq, version_id, content_id, is_delete_marker, size, etag, content_type, created_at)
       values (1, ?, ?, ?, ?, 0, 1, '', '', 0)`,
      key,
      rseq,
      randomUUID(),
      id,
    )
  for (let n = 0; n < current; n++) {
    await version(`${id}-${n}`, -2)
    await runSql(
      tx,
      `insert into object_heads (bucket_id, key, version_id, rseq, content_id, size, etag, last_modified) values (1, ?, '', -2, ?, 1, '', 0)`,
      `${id}-${n}`,
      id,
    )
  }
  for (let n = 0; n < older; n++) await version(`${id}-${n}`, -1)
  if (copies.length > 0) {
    await runSql(tx, 'insert into pieces (id, content_id, part_no, offset_bytes, length) values (?, ?, 0, 0, 1)', id, id)
  }
  for (const [slot, state] of copies.entries()) {
    await runSql(
      tx,
      `insert into copies (piece_id, content_id, data_set_id, slot, state, method, chain_piece_id, created_at, updated_at)
       values (?, ?, ?, ?, ?, 'store', ?, 0, 0)`,
      id,
      id,
      slot,
      slot,
      state,
      String(id),
    )
  }
  await runSql(
    tx,
    'insert into bucket_stats (bucket_id, live_objects) values (1, ?) on conflict (bucket_id) do update set live_objects = bucket_stats.live_objects + excluded.live_objects',
    current,
  )
}

test('without objects every state is zero', async () => {
  await using database = await openDatabase()
  expect(await distribution(database)).toEqual(zero)
})

test.each([
  ['cached', { storeState: 'unstored' }],
  ['uploading', { storeState: 'storing', copies: ['transferring', 'planned'] }],
  ['committing', { storeState: 'storing', copies: ['batched', 'planned'] }],
  ['replicating', { storeState: 'storing', copies: ['committed', 'parked'] }],
  ['stored', { storeState: 'stored', copies: ['committed', 'committed'] }],
  ['failed', { storeState: 'failed', copies: ['failed', 'failed'] }],
  ['failed', { storeState: 'lost' }],
])('an object can be %s', async (state, planned) => {
  await using database = await openDatabase()
  await plan(database, planned)
  expect(await distribution(database)).toEqual({ ...zero, [state]: 1 })
})

test('only current versions count, once per key, also when they share their bytes', async () => {
  await using database = await openDatabase()
  await plan(database, { current: 3, older: 2 })
  await plan(database, { current: 0, older: 4 })
  await plan(database, { current: 1500, older: 1500 })
  await plan(database, { storeState: 'stored', current: 40, older: 1 })
  expect(await distribution(database)).toEqual({ ...zero, cached: 1503, stored: 40 })
})

test('more contents than one page holds are all counted', async () => {
  await using database = await openDatabase()
  for (const storeState of ['unstored', 'storing', 'stored']) await plan(database, ...Array(600).fill({ storeState }))
  expect(await distribution(database)).toEqual({ ...zero, cached: 600, uploading: 600, stored: 600 })
})

test('objects without readable bytes are counted as unavailable, separately from failed ones', async () => {
  await using database = await openDatabase()
  await plan(database, { current: 2 }, { current: 3 }, { copies: ['committed'] }, { storeState: 'failed' }, { storeState: 'stored' })
  await database.write((tx) => runSql(tx, 'insert into cache_entries (content_id, bytes, accessed_at, cached_at) values (1, 1, 0, 0)'))
  expect(await countStates(database, allOpen)).toMatchObject({ unavailable: 3 })
})

test('an object without an open task to store it counts as failed', async () => {
  await using database = await openDatabase()
  await plan(database, { current: 2 }, { storeState: 'storing', copies: ['planned'] }, { storeState: 'storing', copies: ['parked'] })
  const { byState } = await countStates(database, { openKeys: async () => new Set() })
  expect(Object.fromEntries(byState)).toEqual({ failed: 3, uploading: 1, stored: 0 })
})

test.runIf(runsOnSqlite())('no query of the count scans stored contents or all versions', async () => {
  await using database = await openDatabase()
  const seen: string[] = []
  const watch = (reader: Reader) => watchStatements(reader, (sql) => seen.push(sql))
  const watched: Database = { ...database, read: watch(database.read), snapshot: (look) => database.snapshot((read) => look(watch(read))) }
  await plan(database, { current: 20 })
  await objectStateMetric.collect({ database: watched, taskQueue: allOpen } as never)
  const steps = await queryPlan(database.read, new Set(seen))
  // A list of ids is a table of its own.
  expect(steps.filter((step) => step.startsWith('SCAN') && !step.includes('json_each'))).toEqual(['SCAN bucket_stats'])
  // The slots of one content are few.
  expect(steps.filter((step) => step.includes('TEMP B-TREE') && !step.includes('count(DISTINCT)'))).toEqual([])
  expect(steps).toContain('SEARCH contents USING COVERING INDEX contents_unsettled ((bucket_id,store_state)>(?,?))')
  expect(steps).toContain('SEARCH c USING INDEX contents_unsettled (bucket_id=? AND store_state=? AND id>?)')
})
