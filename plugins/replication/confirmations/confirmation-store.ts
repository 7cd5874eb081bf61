import type { QueryCreator } from 'kysely'
import type { Params, Reader, Tx } from '#kernel'
import { openValues } from '#plugins/wallet'
import type { BatchState } from '../states/tables/batch-transitions-policy.ts'
import type { AttentionCode } from '../submissions/attention-policy.ts'
import { batchStates } from '../submissions/row-states-policy.ts'
import { type ReplicationTables, statement } from '../tables.ts'

/** A copy whose attempt needs an operator. */
export interface ConfirmationEntry {
  readonly copyId: number
  readonly contentId: number
  readonly bucket: string
  readonly objectKey: string | null
  readonly slot: number
  readonly dataSetId: number
  readonly chainId: bigint | null
  readonly providerId: string
  readonly serviceUrl: string
  readonly pieceCid: string | null
  readonly parkedAtMs: number | null
  readonly batchId: number
  /** Starts at 1; counts up when the bytes are sent again after the operator was called. */
  readonly attemptNumber: number
  readonly nonce: bigint
  readonly batchState: BatchState
  readonly txHash: string | null
  /** Start of the last submission, and the nonce of the provider's sender after its handling time. */
  readonly submitStartedAtMs: number | null
  readonly senderNonce: number | null
  /** Another copy was released from the attempt, which is never sent again. */
  readonly isReleased: boolean
  readonly code: AttentionCode
  readonly attemptedAtMs: number
  readonly attentionAtMs: number
}

const entries = (db: QueryCreator<ReplicationTables>) =>
  db
    .selectFrom('copies as c')
    .innerJoin('commit_batches as b', 'b.id', 'c.batch_id')
    .innerJoin('data_sets as d', 'd.id', 'c.data_set_id')
    .innerJoin('pieces as p', 'p.id', 'c.piece_id')
    .innerJoin('buckets as o', 'o.id', 'd.bucket_id')
    .select(({ fn }) => fn.coalesce('o.deleted_name', 'o.name').as('bucket'))
    .select(({ selectFrom }) =>
      selectFrom('object_versions as v')
        .select(({ fn }) => fn.min('v.key').as('key'))
        .whereRef('v.content_id', '=', 'c.content_id')
        .as('objectKey'),
    )
    .select(['c.id as copyId', 'c.content_id as contentId', 'c.slot', 'c.data_set_id as dataSetId', 'c.parked_at as parkedAtMs'])
    .select(['d.chain_id as chainId', 'd.provider_id as providerId', 'd.service_url as serviceUrl', 'p.piece_cid as pieceCid'])
    .select(['b.id as batchId', 'b.attempt_number as attemptNumber', 'b.nonce', 'b.state as batchState', 'b.tx_hash as txHash'])
    .select(['b.attention_at as attentionAtMs', 'b.first_submitted_at as firstSubmittedAtMs', 'b.submit_started_at as submitStartedAtMs'])
    .select(['b.sender_nonce as senderNonce', 'b.created_at as createdAtMs', 'b.attention_code as code'])
    .select((batch) =>
      batch
        .selectFrom('commit_items as i')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .whereRef('i.batch_id', '=', 'b.id')
        .where('i.released_at', 'is not', null)
        .as('releasedCopies'),
    )
    .where('c.state', '=', 'attention')

const findAll = statement((db, { limit }: Params<{ limit: number }>) => entries(db).orderBy('b.attention_at').orderBy('c.id').limit(limit))

const findOne = statement((db, { copyId }: Params<{ copyId: number }>) => entries(db).where('c.id', '=', copyId))

const findOfBatch = statement((db, { batchId, limit }: Params<{ batchId: number; limit: number }>) =>
  entries(db).where('c.batch_id', '=', batchId).orderBy('c.id').limit(limit),
)

const lock = statement((db, { copyId }: Params<{ copyId: number }>) =>
  db.selectFrom('copies').select('id').where('id', '=', copyId).forUpdate(),
)

const countCodes = statement((db) =>
  db
    .selectFrom('copies as c')
    .innerJoin('commit_batches as b', 'b.id', 'c.batch_id')
    .select(({ fn }) => ['b.attention_code as code', fn.countAll<number>().as('n')])
    .where('c.state', '=', 'attention')
    .groupBy('b.attention_code'),
)

const makeDue = statement((db, { batchId, nowMs }: Params<{ batchId: number; nowMs: number }>) =>
  db.updateTable('commit_batches').set({ next_check_at: nowMs }).where('id', '=', batchId).where('state', 'in', openValues(batchStates)),
)

/** The attempt as a release names it. */
export const attemptIdOf = ({ batchId, attemptNumber }: Pick<ConfirmationEntry, 'batchId' | 'attemptNumber'>): string =>
  attemptNumber === 1 ? String(batchId) : `${batchId}.${attemptNumber}`

/** Oldest attention first. */
export async function listEntries(reader: Reader, limit: number): Promise<readonly ConfirmationEntry[]> {
  return (await reader.all(findAll, { limit })).map(toEntry)
}

/** Returns undefined when the copy needs no operator. */
export async function findEntry(reader: Reader, copyId: number): Promise<ConfirmationEntry | undefined> {
  const row = await reader.get(findOne, { copyId })
  return row && toEntry(row)
}

/** The copies of the batch that an attempt sent, by id; empty for a text that is no id of an attempt. */
export async function entriesOfAttempt(reader: Reader, attemptId: string, limit: number): Promise<readonly ConfirmationEntry[]> {
  const [, batchId] = /^([1-9]\d{0,14})(?:\.\d+)?$/.exec(attemptId) ?? []
  return batchId === undefined ? [] : (await reader.all(findOfBatch, { batchId: Number(batchId), limit })).map(toEntry)
}

/** The entry as it is in this transaction; no other writer changes its copy before the end. */
export async function lockEntry(tx: Tx, copyId: number): Promise<ConfirmationEntry | undefined> {
  await tx.get(lock, { copyId })
  return findEntry(tx, copyId)
}

/** Copies that need an operator, by reason. */
export async function countEntries(reader: Reader): Promise<ReadonlyMap<AttentionCode, number>> {
  return new Map((await reader.all(countCodes)).map(({ code, n }) => [code ?? unnamed, n]))
}

/** The next run of the commit task looks the attempt up. */
export async function makeCheckDue(tx: Tx, batchId: number, nowMs: number): Promise<void> {
  await tx.run(makeDue, { batchId, nowMs })
}

/** The column is null only where an earlier version recorded the attention without a reason. */
const unnamed: AttentionCode = 'submission_unknown'

interface EntryRow extends Omit<ConfirmationEntry, 'chainId' | 'nonce' | 'code' | 'attemptedAtMs' | 'attentionAtMs' | 'isReleased'> {
  readonly releasedCopies: number | null
  readonly chainId: string | null
  readonly nonce: string
  readonly code: AttentionCode | null
  readonly attentionAtMs: number | null
  readonly firstSubmittedAtMs: number | null
  readonly createdAtMs: number
}

function toEntry({ firstSubmittedAtMs, createdAtMs, releasedCopies, ...row }: EntryRow): ConfirmationEntry {
  const attemptedAtMs = row.submitStartedAtMs ?? firstSubmittedAtMs ?? createdAtMs
  return {
    ...row,
    chainId: row.chainId === null ? null : BigInt(row.chainId),
    nonce: BigInt(row.nonce),
    isReleased: Number(releasedCopies) > 0,
    code: row.code ?? unnamed,
    attemptedAtMs,
    attentionAtMs: row.attentionAtMs ?? attemptedAtMs,
  }
}
