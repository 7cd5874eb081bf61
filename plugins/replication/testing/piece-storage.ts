import { join } from 'node:path'
import { expect } from 'vitest'
import { systemClock, type TaskQueue } from '#kernel'
import { insertRow, runSql } from '#kernel/testing'
import type { CopyKeeper, ObjectVersion } from '#plugins/storage'
import type { ObjectStorage, ObjectStorageOptions } from '../../storage/testing/object-storage.ts'
import { openVersionStorage, type VersionStorage } from '../../storage/testing/version-storage.ts'
import { pieceKeeper } from '../attach/attach.ts'
import { planPiece } from '../copies/records/copy-store.ts'
import { endDataSetTask } from '../endings/end-data-set-task.ts'
import { createPace } from '../pace.ts'
import { cleanupTask } from '../removals/cleanup-task.ts'
import { createSchedule } from '../schedule.ts'
import type { States } from '../states/states.ts'
import { checkInvariants } from './check-invariants.ts'
import { replicationSchema, taskSchema } from './schemas.ts'
import { statesOver } from './test-states.ts'

/** Storage with the rows of copies: objects and their versions on a real database and real files. */
export interface PieceStorage extends Omit<VersionStorage, 'keeper' | 'keep'> {
  /** Keys of tasks that are reported as open. */
  readonly openTasks: Set<string>
  /** Keys of store tasks that need not wait for their provider any longer. */
  readonly endedWaits: string[]
  /** Data sets whose cleanup task was enqueued. */
  readonly cleanups: number[]
  /** Data sets whose end was enqueued. */
  readonly ends: number[]
  readonly states: States
  /** Inserts a copy of the content in `state` on the data set, and the data set if it is new. Returns the copy's id. */
  placeCopy(
    version: ObjectVersion,
    copy: { readonly dataSetId: number; readonly state: string; readonly pieceId?: number },
  ): Promise<number>
}

/** New contents get a piece and no store task. */
const keeper: CopyKeeper = { ...pieceKeeper, needed: (_services, tx, { id, size }) => planPiece(tx, { contentId: id, size }) }

export async function openPieceStorage(options: ObjectStorageOptions = {}): Promise<PieceStorage> {
  const { clock = systemClock } = options
  const openTasks = new Set<string>()
  const endedWaits: string[] = []
  const cleanups: number[] = []
  const ends: number[] = []
  const queue: Pick<TaskQueue, 'add' | 'endWaits' | 'openKeys'> = {
    async add(_tx, { kind }, args) {
      if (kind === endDataSetTask.kind) {
        ends.push((args as { readonly dataSetId: number }).dataSetId)
        return 0
      }
      if (kind !== cleanupTask.kind) throw new Error(`unexpected task ${kind}`)
      const { dataSetId } = args as { readonly dataSetId: number }
      cleanups.push(dataSetId)
      return dataSetId * 100
    },
    endWaits: async (_tx, _kind, keys) => void endedWaits.push(...keys),
    openKeys: async (_reader, keys) => new Set(keys.filter((key) => openTasks.has(key))),
  }
  const parts = { clock, pace: createPace(30_000), schedule: createSchedule(queue) }
  const states = statesOver(parts)
  const {
    keep: _keep,
    keeper: _keeper,
    ...storage
  } = await openVersionStorage({
    moreSchemas: [taskSchema, replicationSchema],
    ...options,
    keepers: [{ item: keeper, services: { queue, clock, states } }],
  })
  Object.assign(parts, { contents: storage.contents })
  const { database, cache, dir } = storage
  return {
    ...storage,
    states,
    openTasks,
    endedWaits,
    cleanups,
    ends,
    placeCopy: (version, copy) => database.write((tx) => insertCopy(tx, version, copy)),
    async expectSound() {
      const { usedBytes, reservedBytes } = cache.stats()
      expect(await checkInvariants(database.read, { cacheDir: join(dir, 'cache'), usedBytes })).toEqual([])
      expect(reservedBytes).toBe(0)
    },
  }
}

type Tx = Parameters<Parameters<ObjectStorage['database']['write']>[0]>[0]

async function insertCopy(tx: Tx, version: ObjectVersion, copy: Parameters<PieceStorage['placeCopy']>[1]): Promise<number> {
  const { dataSetId, state, pieceId } = copy
  await runSql(
    tx,
    `insert into data_sets (id, bucket_id, slot, generation, provider_id, provider_address, payee, service_url, client_data_set_id, chain_id, state, final_at, created_at, updated_at)
     select n, ?, n, 1, n, '0x', '0x', 'http://provider', n, n, 'ready', 0, 0, 0 from (select cast(? as integer) as n) given where true on conflict do nothing`,
    version.bucketId,
    dataSetId,
  )
  const copyId = await insertRow(
    tx,
    `insert into copies (piece_id, content_id, data_set_id, slot, state, method, chain_piece_id, created_at, updated_at)
     select id, content_id, ?, ?, ?, 'pull', ?, 0, 0 from pieces where content_id = ?`,
    dataSetId,
    dataSetId,
    state,
    pieceId === undefined ? null : String(pieceId),
    version.contentId,
  )
  await runSql(tx, `update pieces set piece_cid = 'cid' || id where content_id = ?`, version.contentId)
  if (state === 'committed') {
    const batchId = await insertRow(
      tx,
      `insert into commit_batches (data_set_id, method, state, nonce, extra_data, next_piece_id, final_at, created_at, updated_at)
       values (?, 'pull', 'confirmed', ?, '0x', ?, 0, 0, 0)`,
      dataSetId,
      `${dataSetId}${copyId}`.padStart(9, '9'),
      String(Number(pieceId) + 1),
    )
    await runSql(tx, 'update copies set batch_id = ? where id = ?', batchId, copyId)
    await runSql(
      tx,
      'update contents set durable_copies = durable_copies + 1, readable_copies = readable_copies + 1 where id = ?',
      version.contentId,
    )
  }
  return copyId
}
