/** Every statement of the checks and fixes on both engines: in a kernel without a chain, with rows that a test damages. */
import { expect, onTestFinished, test } from 'vitest'
import { database as databaseRef, type TaskQueue, taskQueue } from '#kernel'
import { doctor as doctorRef } from '#kernel/system'
import { allRows, hasPostgres, insertTaskRow, newPostgresDatabase, runSql, testKernel } from '#kernel/testing'
import { storagePlugin } from '../../storage/plugin.ts'
import { walletPlugin } from '../../wallet/plugin.ts'
import { recoverEndings } from '../endings/recover-endings.ts'
import { replicationPlugin } from '../plugin.ts'
import { createSchedule } from '../schedule.ts'
import { findPiece, unrecordedIds } from './chain-store.ts'

const seeds = [
  `insert into buckets (id, name, default_copies, minimum_durable_copies, created_at, updated_at) values (1, 'photos', 1, 1, 0, 0)`,
  'insert into bucket_stats (bucket_id, live_objects) values (1, 9)',
  `insert into contents (id, bucket_id, identity, size, ref_count, target_copies, durable_copies, readable_copies, store_state, current_count, created_at, updated_at)
   values (1, 1, 'x', 5, 1, 1, 0, 1, 'storing', 0, 0, 0)`,
  `insert into object_versions (bucket_id, key, rseq, version_id, content_id, is_delete_marker, size, etag, content_type, created_at)
   values (1, 'cat', -1, 'v', 1, 0, 5, 'e', 't', 0)`,
  `insert into object_heads (bucket_id, key, version_id, rseq, content_id, size, etag, last_modified) values (1, 'cat', 'v', -1, 1, 5, 'e', 0)`,
  `insert into pieces (id, content_id, part_no, offset_bytes, length, piece_cid) values (1, 1, 0, 0, 5, 'baga')`,
  `insert into data_sets (id, bucket_id, slot, generation, provider_id, provider_address, payee, service_url, client_data_set_id, chain_id, state, created_at, updated_at)
   values (1, 1, 0, 1, '1', '', '', 'http://127.0.0.1:9', '1', '7', 'ready', 0, 0)`,
  `insert into copies (id, piece_id, content_id, data_set_id, slot, state, method, chain_piece_id, created_at, updated_at)
   values (1, 1, 1, 1, 0, 'committed', 'store', '3', 0, 0)`,
]

const damages = [
  'update contents set durable_copies = 0, current_count = 7',
  'update data_set_totals set committed_copies = 9, current_versions = 9',
  `insert into wallet_operations (type, client_request_id, amount, status, created_at, updated_at) values ('fund', 'x', '1', 'pending', 0, 0)`,
]

const engines = [
  { engine: 'SQLite', isHere: true, config: async () => ({}) },
  {
    engine: 'PostgreSQL',
    isHere: hasPostgres(),
    config: async () => ({ 'database.driver': 'postgres', 'database.dsn': await newPostgresDatabase(), 'database.allow_unsafe': true }),
  },
]

/** Their findings depend on the disk and the server of the tests. */
const ofThisMachine = ['kernel.directories', 'kernel.database-server']

/** Names of the checks that find something, and their fixes. */
async function inspect({ checks, look }: Pick<Awaited<ReturnType<typeof start>>['doctor'], 'checks' | 'look'>, sample?: number) {
  const found: Record<string, readonly string[]> = {}
  for (const { name, needs } of checks()) {
    if (needs !== undefined || ofThisMachine.includes(name)) continue
    let after: string | undefined
    do {
      const page = await look(name, { after, sample })
      for (const { fix, subject } of page.findings) {
        found[name] = [...(found[name] ?? []), fix === undefined ? `${subject.kind} ${subject.id}` : `${fix.name} ${fix.target}`]
      }
      after = page.next
    } while (after !== undefined)
  }
  return found
}

/** Tasks that plugins enqueue are recorded and never run. */
const restingQueue: TaskQueue = {
  async add(tx, { kind }, _args, { key } = {}) {
    const id = await insertTaskRow(tx, { kind, status: 'pending', atMs: Date.now() })
    await runSql(tx, 'update tasks set key = ? where id = ?', key ?? null, id)
    return id
  },
  hasOpen: async () => false,
  openKeys: async () => new Set(),
  endWaits: async () => {},
  unendedIds: async () => new Set(),
}

async function start(config: Readonly<Record<string, string | boolean>>) {
  const chain = { 'chain.private_key': '42'.repeat(32), 'chain.rpc_url': 'http://127.0.0.1:9' }
  const svc = await testKernel({
    plugins: [walletPlugin, storagePlugin, replicationPlugin],
    isNew: true,
    config: { ...chain, ...config },
    override: [[taskQueue, restingQueue]],
  })
  onTestFinished(() => svc.stop())
  const database = svc.kernel.get(databaseRef)
  const change = (...texts: readonly string[]) =>
    database.write(async (tx) => {
      for (const text of texts) await runSql(tx, text)
    })
  return { database, change, doctor: svc.kernel.get(doctorRef) }
}

test.for(engines.filter(({ isHere }) => isHere))('I-19 I-29: on $engine damage is found and repaired', async ({ config }) => {
  const { database, change, doctor } = await start(await config())
  expect(await inspect(doctor)).toEqual({})
  // Without rows the chain and the providers are not asked.
  for (const { name, needs } of doctor.checks()) {
    if (needs !== 'network' || name === 'wallet.chain-clock') continue
    for (const sample of [undefined, 5]) expect(await doctor.look(name, { sample }), name).toEqual({ findings: [], compared: 0 })
  }

  await change(...seeds, ...damages)
  expect(await inspect(doctor, 5)).toEqual({
    'wallet.operations': ['wallet operation 1'],
    'storage.counts': ['storage.bucket-counts 1', 'storage.current-count 1'],
    'replication.copies': ['storage.recount 1'],
    'replication.data-sets': ['replication.data-set-totals 1', 'replication.data-set-totals 1'],
  })
  const fixes = [
    ['storage.bucket-counts', '1'],
    ['storage.current-count', '1'],
    ['storage.recount', '1'],
    ['replication.data-set-totals', '1'],
  ] as const
  for (const [name] of fixes.slice(0, 3)) {
    for (const target of ['', '1.5', '0x1', '1e0', ' 1', '-1', 'NaN', '9'.repeat(16)]) {
      expect(await doctor.fix(name, target), `${name} ${target}`).toBe(false)
    }
  }
  for (const [name, target] of fixes) expect(await doctor.fix(name, target), name).toBe(true)
  expect(await doctor.fix('storage.recount', '99')).toBe(false)
  expect(await inspect(doctor)).toEqual({ 'wallet.operations': ['wallet operation 1'] })

  expect(await findPiece(database.read, 1)).toMatchObject({ dataSetId: '7', pieceId: '3', pieceCid: 'baga', bucket: 'photos', key: 'cat' })
  expect(await unrecordedIds(database.read, 1, ['2', '3'])).toEqual(['2'])
})

test.for(engines.filter(({ isHere }) => isHere))(
  'I-27: on $engine a copy is compared with the chain unless a removal of its piece may have an effect',
  async ({ config }) => {
    const { database, change } = await start(await config())
    const attempt = `insert into removal_attempts (id, data_set_id, extra_data, started_at, updated_at) values (1, 1, '0x', 0, 0)`
    await change(...seeds, attempt)
    const isCompared = async (state: string, pieceId = '3') => {
      await change(
        'delete from removals',
        `insert into removals (data_set_id, chain_piece_id, copy_id, content_id, state, attempt_id, created_at, updated_at)
         values (1, '${pieceId}', 1, 1, '${state}', ${state === 'pending' ? 'null' : 1}, 0, 0)`,
      )
      return (await findPiece(database.read, 1)) !== undefined
    }
    const compared = ['pending', 'removed', 'data_set_ended']
    for (const state of [...compared, 'submitting', 'submitted', 'uncertain', 'scheduled']) {
      expect(await isCompared(state), state).toBe(compared.includes(state))
      // A surplus piece of the same copy.
      expect(await isCompared(state, '2'), state).toBe(true)
    }
  },
)

test.for(engines.filter(({ isHere }) => isHere))(
  'I-29: on $engine a copy without a task is found in each state and gets its task',
  async ({ config }) => {
    const { database, change, doctor } = await start(await config())
    await change(...seeds)
    const states = [
      { state: 'planned', dataSet: 'ready', kind: 'storage_store' },
      { state: 'transferring', dataSet: 'ready', kind: 'storage_store' },
      { state: 'parked', dataSet: 'creating', kind: 'storage_dataset_ensure' },
      { state: 'parked', dataSet: 'ready', kind: 'storage_commit' },
    ]
    for (const { state, dataSet, kind } of states) {
      await change(
        'delete from tasks',
        `update data_sets set state = '${dataSet}'`,
        `update copies set state = '${state}', chain_piece_id = null`,
      )
      const found = await doctor.look('replication.stuck-copies', {})
      expect(found.findings, state).toMatchObject([
        {
          invariant: 'I-29',
          subject: { kind: 'copy', id: '1', bucket: 'photos', key: 'cat' },
          fix: { name: 'replication.resume-copy', target: '1' },
        },
      ])
      expect(await doctor.fix('replication.resume-copy', '1')).toBe(true)
      expect(await allRows(database.read, `select kind from tasks where key like 'storage_%'`)).toEqual([{ kind }])
      expect((await doctor.look('replication.stuck-copies', {})).findings).toEqual([])
      expect(await doctor.fix('replication.resume-copy', '1')).toBe(false)
    }
    await change(`update copies set state = 'failed'`, 'delete from tasks')
    expect((await doctor.look('replication.stuck-copies', {})).findings).toEqual([])
  },
)

test.for(engines.filter(({ isHere }) => isHere))(
  'on $engine a content with fewer copies than its target is found unless a task plans them or an operator must act',
  async ({ config }) => {
    const { change, doctor } = await start(await config())
    const found = async () => (await inspect(doctor))['replication.stuck-copies'] ?? []
    const task = (status: string, contentId = 1) =>
      `insert into tasks (kind, key, subject_type, subject_key, args, status, run_at, created_at, updated_at)
       values ('storage_store', 'storage_store:${contentId}', '', '', '', '${status}', 0, 0, 0)`
    await change(...seeds)
    expect(await found()).toEqual([])
    await change('delete from copies')
    expect(await found()).toEqual(['content 1'])
    for (const status of ['pending', 'running', 'failed', 'completed', 'cancelled']) {
      await change('delete from tasks', task(status))
      expect(await found(), status).toEqual(['completed', 'cancelled'].includes(status) ? ['content 1'] : [])
    }
    await change('delete from tasks', task('pending', 11))
    expect(await found()).toEqual(['content 1'])
    const states = [
      [`update contents set store_state = 'lost'`, `update contents set store_state = 'storing'`],
      [`update contents set state = 'deleting'`, `update contents set state = 'live'`],
      ['update contents set part_count = 1', 'update contents set part_count = 0'],
      ['update contents set size = 0', 'update contents set size = 5'],
      [`update copy_keepers set was_absent = 1`, `update copy_keepers set was_absent = 0`],
    ] as const
    for (const [other, back] of states) {
      await change(other)
      expect(await found(), other).toEqual([])
      await change(back)
      expect(await found(), back).toEqual(['content 1'])
    }
  },
)

test.for(engines.filter(({ isHere }) => isHere))(
  'I-36: on $engine the end of a data set without a task is found, and the next start enqueues it once',
  async ({ config }) => {
    const { database, change, doctor } = await start(await config())
    await change(...seeds)
    const stuck = async () => (await inspect(doctor))['replication.stuck-copies'] ?? []
    const recover = async () => {
      await recoverEndings({ database, schedule: createSchedule(restingQueue) })
      const kinds = await allRows(database.read, `select kind from tasks where key like 'storage_dataset_%' order by id`)
      return kinds.map(({ kind }) => kind)
    }
    expect([await stuck(), await recover()]).toEqual([[], []])
    await change(`insert into data_set_endings (data_set_id, state, path, requested_at, updated_at) values (1, 'pending', 'relay', 0, 0)`)
    expect(await stuck()).toEqual(['data set 1'])
    expect(await recover()).toEqual(['storage_dataset_end'])
    expect([await stuck(), await recover()]).toEqual([[], ['storage_dataset_end']])
    // A failed task waits for an operator.
    await change(`update tasks set status = 'failed'`)
    expect([await stuck(), await recover()]).toEqual([[], ['storage_dataset_end']])
    // Its end waits for a creation that no task follows.
    await change(`update data_sets set state = 'creating', chain_id = null`)
    expect(await stuck()).toEqual(['data set 1'])
    expect(await recover()).toEqual(['storage_dataset_end', 'storage_dataset_ensure'])
    expect(await stuck()).toEqual([])
    // The failed tasks were dismissed and deleted.
    await change('delete from tasks')
    expect(await recover()).toEqual(['storage_dataset_ensure', 'storage_dataset_end'])
  },
)
