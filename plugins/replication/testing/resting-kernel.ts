/** A kernel without a chain, on each engine, that records tasks and runs none; with rows that a test changes. */
import { onTestFinished } from 'vitest'
import { database as databaseRef, type TaskQueue, taskQueue } from '#kernel'
import { doctor as doctorRef } from '#kernel/system'
import { getRow, hasPostgres, insertTaskRow, newPostgresDatabase, runSql, testKernel } from '#kernel/testing'
import { providersPlugin } from '../../providers/plugin.ts'
import { storagePlugin } from '../../storage/plugin.ts'
import { walletPlugin } from '../../wallet/plugin.ts'
import { replicationPlugin } from '../plugin.ts'

/** A content with one committed copy of one, and the key `cat`. */
export const seeds = [
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

const allEngines = [
  { engine: 'SQLite', isHere: true, config: async () => ({}) },
  {
    engine: 'PostgreSQL',
    isHere: hasPostgres(),
    config: async () => ({ 'database.driver': 'postgres', 'database.dsn': await newPostgresDatabase(), 'database.allow_unsafe': true }),
  },
]
export const engines = allEngines.filter(({ isHere }) => isHere)

/** Tasks that plugins enqueue are recorded and never run. */
const restingQueue: TaskQueue = {
  async add(tx, { kind }, _args, { key } = {}) {
    const id = await insertTaskRow(tx, { kind, status: 'pending', atMs: Date.now() })
    await runSql(tx, 'update tasks set key = ? where id = ?', key ?? null, id)
    return id
  },
  hasOpen: async (read, key) =>
    (await getRow(read, `select id from tasks where status in ('pending', 'running') and key = ?`, key)) !== undefined,
  openKeys: async () => new Set(),
  endWaits: async () => {},
  unendedIds: async () => new Set(),
}

/** The statement that adds a task; the kind is the part of its key before the colon. */
export const taskRow = (key: string, status = 'pending') =>
  `insert into tasks (kind, key, subject_type, subject_key, args, status, failed_at, run_at, created_at, updated_at)
     values ('${key.split(':')[0]}', '${key}', '', '', '', '${status}', ${status === 'failed' ? 0 : null}, 0, 0, 0)`

export async function startResting(config: Readonly<Record<string, string | boolean>>) {
  const chain = { 'chain.private_key': '42'.repeat(32), 'chain.rpc_url': 'http://127.0.0.1:9' }
  const svc = await testKernel({
    plugins: [walletPlugin, providersPlugin, storagePlugin, replicationPlugin],
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
  return { database, change, doctor: svc.kernel.get(doctorRef), queue: restingQueue }
}
