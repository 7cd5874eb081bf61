import type { Reader, Tx } from '#kernel'

/**
 * pulling: the provider fetches the pieces, nothing was submitted · ready: may be submitted · submitting: attempt recorded, outcome
 * open · submitted: the provider returned a transaction hash · uncertain: only the chain shows the outcome · confirmed · closed: never
 * submitted, or certainly refused.
 */
export type BatchState = 'pulling' | 'ready' | 'submitting' | 'submitted' | 'uncertain' | 'confirmed' | 'closed'

/** Up to 40 pieces added to a data set under one nonce and one signature. Its id is the attempt's id. */
export interface CommitBatch {
  readonly id: number
  readonly dataSetId: number
  readonly method: 'store' | 'pull'
  readonly state: BatchState
  readonly nonce: bigint
  readonly extraData: `0x${string}`
  readonly txHash: `0x${string}` | null
  /** Start of the first submission that may have reached the chain; null before it. */
  readonly firstSubmittedAtMs: number | null
  readonly submitStartedAtMs: number | null
  /** No check and no submission before this time. */
  readonly nextCheckAtMs: number
  readonly checks: number
  /** Nonce of the provider's sender after its handling time for the attempt. */
  readonly senderNonce: number | null
  readonly attentionAtMs: number | null
  /** Reason for the attention, or for the wait until `nextCheckAtMs`. */
  readonly reasonCode: string | null
  readonly lastError: string | null
  readonly createdAtMs: number
  /** Without items of deleted contents; `ordinal` is the position in the signed order. */
  readonly items: readonly (BatchItem & { readonly ordinal: number })[]
}

export interface BatchItem {
  readonly copyId: number
  readonly contentId: number
  readonly pieceCid: string
  /** Piece length in bytes. */
  readonly length: number
}

interface BatchRow {
  readonly id: number
  readonly data_set_id: number
  readonly method: 'store' | 'pull'
  readonly state: BatchState
  readonly nonce: string
  readonly extra_data: string
  readonly tx_hash: string | null
  readonly first_submitted_at: number | null
  readonly submit_started_at: number | null
  readonly next_check_at: number
  readonly checks: number
  readonly sender_nonce: number | null
  readonly attention_at: number | null
  readonly reason_code: string | null
  readonly last_error: string | null
  readonly created_at: number
}

interface NewBatch {
  readonly dataSetId: number
  readonly method: 'store' | 'pull'
  readonly nonce: bigint
  readonly extraData: string
  readonly items: readonly BatchItem[]
  readonly nowMs: number
}

/** Unsettled batches of a data set, oldest first. */
export async function openBatches(reader: Reader, dataSetId: number): Promise<readonly CommitBatch[]> {
  const rows = reader.all<BatchRow>(
    "select * from commit_batches where data_set_id = ? and state not in ('confirmed', 'closed') order by id",
    dataSetId,
  )
  return await Promise.all(rows.map((row) => toBatch(reader, row)))
}

/** Number of batches in one of these states. */
export async function countBatches(reader: Reader, dataSetId: number, states: readonly BatchState[]): Promise<number> {
  const row = reader.get<{ n: number }>(
    "select count(*) as n from commit_batches where data_set_id = ? and state not in ('confirmed', 'closed') and state in (select value from json_each(?))",
    dataSetId,
    JSON.stringify(states),
  )
  return row?.n ?? 0
}

/** Parked copies that wait for a batch, oldest first. */
export async function parkedCopies(
  reader: Reader,
  dataSetId: number,
  limit: number,
): Promise<readonly (BatchItem & { readonly parkedAtMs: number })[]> {
  return reader.all(
    `select c.id as copyId, c.content_id as contentId, p.piece_cid as pieceCid, p.length as length, c.parked_at as parkedAtMs
     from copies c join pieces p on p.id = c.piece_id where c.data_set_id = ? and c.state = 'parked' order by c.parked_at, c.id limit ?`,
    dataSetId,
    limit,
  )
}

/**
 * Records the batch with its nonce, its signed bytes and its copies (I-04, I-24, I-25). Undefined, without changes, when one of the
 * copies is no longer free.
 */
export async function recordBatch(tx: Tx, batch: NewBatch): Promise<number | undefined> {
  const [free, next] = batch.method === 'store' ? (['parked', 'batched'] as const) : (['planned', 'transferring'] as const)
  for (const { copyId } of batch.items) {
    if (!tx.get('select 1 from copies where id = ? and state = ? and batch_id is null', copyId, free)) return undefined
  }
  const { lastId } = tx.run(
    `insert into commit_batches (data_set_id, method, state, nonce, extra_data, created_at, updated_at) values (?, ?, ?, ?, ?, ?, ?)`,
    batch.dataSetId,
    batch.method,
    batch.method === 'store' ? 'ready' : 'pulling',
    batch.nonce.toString(),
    batch.extraData,
    batch.nowMs,
    batch.nowMs,
  )
  for (const [ordinal, { copyId, pieceCid }] of batch.items.entries()) {
    tx.run('insert into commit_items (batch_id, ordinal, copy_id, piece_cid) values (?, ?, ?, ?)', lastId, ordinal, copyId, pieceCid)
    tx.run(
      'update copies set state = ?, method = ?, batch_id = ?, updated_at = ? where id = ?',
      next,
      batch.method,
      lastId,
      batch.nowMs,
      copyId,
    )
  }
  return lastId
}

async function toBatch(reader: Reader, row: BatchRow): Promise<CommitBatch> {
  const items = reader.all<BatchItem & { readonly ordinal: number }>(
    'select i.ordinal as ordinal, i.copy_id as copyId, c.content_id as contentId, i.piece_cid as pieceCid, p.length as length from commit_items i join copies c on c.id = i.copy_id join pieces p on p.id = c.piece_id where i.batch_id = ? order by i.ordinal',
    row.id,
  )
  return {
    id: row.id,
    dataSetId: row.data_set_id,
    method: row.method,
    state: row.state,
    nonce: BigInt(row.nonce),
    extraData: row.extra_data as `0x${string}`,
    txHash: row.tx_hash as `0x${string}` | null,
    firstSubmittedAtMs: row.first_submitted_at,
    submitStartedAtMs: row.submit_started_at,
    nextCheckAtMs: row.next_check_at,
    checks: row.checks,
    senderNonce: row.sender_nonce,
    attentionAtMs: row.attention_at,
    reasonCode: row.reason_code,
    lastError: row.last_error,
    createdAtMs: row.created_at,
    items,
  }
}
