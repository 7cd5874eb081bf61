import type { Tx } from '#kernel'
import { insertRow, runSql } from '#kernel/testing'
import type { BatchState } from '../states/tables/batch-transitions-policy.ts'
import type { CopyState } from '../states/tables/copy-transitions-policy.ts'
import type { DataSetState } from '../states/tables/data-set-transitions-policy.ts'

/** Initial state of a copy. `isOffered`: its batch was submitted before, so its transaction may be on chain. */
export interface ModelStart {
  readonly copy: CopyState
  readonly batch?: BatchState
  readonly isOffered?: boolean
  readonly isUploaded?: boolean
  readonly isWithdrawn?: boolean
}

export const starts: readonly ModelStart[] = [
  { copy: 'planned' },
  { copy: 'transferring' },
  { copy: 'transferring', isUploaded: true },
  { copy: 'transferring', batch: 'pulling' },
  { copy: 'parked' },
  { copy: 'batched', batch: 'ready' },
  { copy: 'batched', batch: 'ready', isOffered: true },
  { copy: 'batched', batch: 'submitting' },
  { copy: 'batched', batch: 'submitted', isOffered: true },
  { copy: 'unconfirmed', batch: 'uncertain', isOffered: true },
  { copy: 'unconfirmed', batch: 'uncertain', isOffered: true, isWithdrawn: true },
  { copy: 'attention', batch: 'ready' },
  { copy: 'attention', batch: 'ready', isOffered: true },
  { copy: 'attention', batch: 'submitting' },
  { copy: 'attention', batch: 'submitted', isOffered: true },
  { copy: 'attention', batch: 'uncertain', isOffered: true },
  { copy: 'attention', batch: 'uncertain', isOffered: true, isWithdrawn: true },
  { copy: 'committed', batch: 'confirmed', isOffered: true },
  { copy: 'failed' },
  { copy: 'lost' },
]

/** Includes states that only a replacement of data sets will produce. */
export const dataSetStarts = [
  'ready',
  'write_blocked',
  'lost',
  'planned',
  'creating',
  'retiring',
  'retired',
] as const satisfies readonly DataSetState[]

/** Excludes copies sent to a data set without an id on chain, and lost copies on a ready data set. */
export function isPossible({ copy }: ModelStart, dataSet: DataSetState): boolean {
  if (dataSet === 'planned' || dataSet === 'creating') return copy === 'planned' || copy === 'failed'
  return copy !== 'lost' || dataSet !== 'ready'
}

/** Whether the provider does not have the bytes yet in this state. */
export const isBeforeArrival = ({ copy, isUploaded }: ModelStart): boolean =>
  copy === 'planned' || copy === 'failed' || copy === 'lost' || (copy === 'transferring' && !isUploaded)

interface SeededCopy {
  readonly contentId: number
  readonly dataSetId: number
  readonly pieceCid: string
  readonly slot: number
  readonly nonce: bigint
  /** Signed `extraData` of its addition. */
  readonly extraData: string
  readonly nowMs: number
}

/** Inserts the copy and its batch as the pipeline would have written them. */
export async function seedCopy(tx: Tx, start: ModelStart, at: SeededCopy): Promise<void> {
  const { contentId, dataSetId, nowMs } = at
  const batchId = start.batch === undefined ? null : await seedBatch(tx, start, at)
  const copyId = await insertRow(
    tx,
    `insert into copies (piece_id, content_id, data_set_id, slot, state, method, batch_id, uploaded_at, parked_at, chain_piece_id,
       committed_at, created_at, updated_at) select id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? from pieces where content_id = ?`,
    contentId,
    dataSetId,
    at.slot,
    start.copy,
    start.batch === 'pulling' ? 'pull' : 'store',
    batchId,
    start.isUploaded ? nowMs : null,
    isBeforeArrival(start) ? null : nowMs,
    // A unique placeholder until the landings are recorded.
    start.copy === 'committed' ? at.nonce.toString() : null,
    start.copy === 'committed' ? nowMs : null,
    nowMs,
    nowMs,
    contentId,
  )
  if (batchId !== null) {
    await runSql(tx, 'insert into commit_items (batch_id, ordinal, copy_id, piece_cid) values (?, 0, ?, ?)', batchId, copyId, at.pieceCid)
  }
}

async function seedBatch(tx: Tx, start: ModelStart, { dataSetId, nonce, extraData, nowMs }: SeededCopy): Promise<number> {
  const isSent = start.batch === 'submitting' || start.batch === 'submitted' || start.batch === 'uncertain'
  return insertRow(
    tx,
    `insert into commit_batches (data_set_id, method, state, nonce, extra_data, tx_hash, first_submitted_at, submit_started_at, attention_at,
       reason_code, created_at, updated_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    dataSetId,
    start.batch === 'pulling' ? 'pull' : 'store',
    start.batch ?? 'closed',
    nonce.toString(),
    extraData,
    start.batch === 'submitted' ? `0x${'ab'.repeat(32)}` : null,
    start.isOffered ? nowMs : null,
    isSent ? nowMs : null,
    start.copy === 'attention' ? nowMs : null,
    start.isWithdrawn ? 'withdrawn' : null,
    nowMs,
    nowMs,
  )
}
