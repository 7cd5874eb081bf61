/** The only writer of `repair_signals` and `repair_decisions`. */
import { type Params, type Reader, sqlStatement, type Tx } from '#kernel'
import { statement } from '../tables.ts'
import type { RepairSignal } from './signal-policy.ts'

export interface StoredSignal {
  readonly dataSetId: number
  readonly signal: RepairSignal
  readonly sinceMs: number
  readonly seenAtMs: number
  readonly nextAtMs: number
  readonly lastReason: string | null
  readonly lostContents: number
  readonly lossesAtMs: number
}

const signalColumns = [
  'data_set_id as dataSetId',
  'signal',
  'since as sinceMs',
  'seen_at as seenAtMs',
  'next_at as nextAtMs',
  'last_reason as lastReason',
  'lost_contents as lostContents',
  'losses_at as lossesAtMs',
] as const

const listAll = statement((db) => db.selectFrom('repair_signals').select(signalColumns))

type Seen = { dataSetId: number; signal: RepairSignal; sinceMs: number; nowMs: number }
const upsert = statement((db, { dataSetId, signal, sinceMs, nowMs }: Params<Seen>) =>
  db
    .insertInto('repair_signals')
    .values({ data_set_id: dataSetId, signal, since: sinceMs, seen_at: nowMs })
    .onConflict((conflict) => conflict.column('data_set_id').doUpdateSet({ signal, since: sinceMs, seen_at: nowMs })),
)

const remove = statement((db, { dataSetId }: Params<{ dataSetId: number }>) =>
  db.deleteFrom('repair_signals').where('data_set_id', '=', dataSetId),
)

const setDecided = statement((db, { dataSetId, reason, nextAtMs }: Params<{ dataSetId: number; reason: string; nextAtMs: number }>) =>
  db.updateTable('repair_signals').set({ last_reason: reason, next_at: nextAtMs }).where('data_set_id', '=', dataSetId),
)

const setLosses = statement((db, { dataSetId, contents, nowMs }: Params<{ dataSetId: number; contents: number; nowMs: number }>) =>
  db.updateTable('repair_signals').set({ lost_contents: contents, losses_at: nowMs }).where('data_set_id', '=', dataSetId),
)

export interface NewDecision {
  readonly atMs: number
  readonly action: 'replaced' | 'refused' | 'left_alone' | 'loss'
  readonly signal: RepairSignal
  readonly reason: string
  readonly message: string
  readonly providerId: string
  readonly bucketId: number
  readonly bucketName: string
  readonly dataSetId: number
  readonly slot: number
  readonly sinceMs: number
  readonly replacementId: number | null
  readonly fee: bigint | null
  readonly lost: { readonly contents: number; readonly versions: number; readonly bytes: bigint } | null
}

export interface Decision extends NewDecision {
  readonly id: number
}

type DecisionColumns = Omit<NewDecision, 'fee' | 'lost'> & {
  readonly fee: string | null
  readonly lostContents: number | null
  readonly lostVersions: number | null
  readonly lostBytes: string | null
}

const insert = statement((db, row: Params<DecisionColumns>) =>
  db.insertInto('repair_decisions').values({
    at: row.atMs,
    action: row.action,
    signal: row.signal,
    reason: row.reason,
    message: row.message,
    provider_id: row.providerId,
    bucket_id: row.bucketId,
    bucket_name: row.bucketName,
    data_set_id: row.dataSetId,
    slot: row.slot,
    since: row.sinceMs,
    replacement_id: row.replacementId,
    fee: row.fee,
    lost_contents: row.lostContents,
    lost_versions: row.lostVersions,
    lost_bytes: row.lostBytes,
  }),
)

const findPage = statement((db, { before, limit }: Params<{ before: number; limit: number }>) =>
  db
    .selectFrom('repair_decisions')
    .select(['id', 'at as atMs', 'action', 'signal', 'reason', 'message', 'provider_id as providerId', 'bucket_id as bucketId'])
    .select(['bucket_name as bucketName', 'data_set_id as dataSetId', 'slot', 'since as sinceMs', 'replacement_id as replacementId', 'fee'])
    .select(['lost_contents as lostContents', 'lost_versions as lostVersions', 'lost_bytes as lostBytes'])
    .where('id', '<', before)
    .orderBy('id', 'desc')
    .limit(limit),
)

const findFees = statement((db, { sinceMs }: Params<{ sinceMs: number }>) =>
  db
    .selectFrom('repair_decisions')
    .select('fee')
    .where('at', '>=', sinceMs)
    .where('action', '=', 'replaced')
    .$narrowType<{ fee: string }>(),
)

const countSince = statement((db, { sinceMs }: Params<{ sinceMs: number }>) =>
  db
    .selectFrom('repair_decisions')
    .select(({ fn }) => ['action', fn.countAll<number>().as('count')])
    .where('at', '>=', sinceMs)
    .groupBy('action'),
)

/** Records that are kept, newest first. */
const decisionsMax = 10_000
const prune = sqlStatement<Record<never, never>>(
  `delete from repair_decisions where id <= (select max(id) from repair_decisions) - ${decisionsMax}`,
)

const findSuperseded = statement((db, { id }: Params<{ id: number }>) =>
  db.selectFrom('replacements').select(['id', 'origin']).where('superseded_by_id', '=', id),
)

export const listSignals = (read: Reader): Promise<readonly StoredSignal[]> => read.all(listAll)

export async function keepSignal(tx: Tx, seen: Seen): Promise<void> {
  await tx.run(upsert, seen)
}

export async function endSignal(tx: Tx, dataSetId: number): Promise<void> {
  await tx.run(remove, { dataSetId })
}

export async function markDecided(tx: Tx, decided: { dataSetId: number; reason: string; nextAtMs: number }): Promise<void> {
  await tx.run(setDecided, decided)
}

export async function markLosses(tx: Tx, losses: { dataSetId: number; contents: number; nowMs: number }): Promise<void> {
  await tx.run(setLosses, losses)
}

export async function addDecision(tx: Tx, { fee, lost, ...decision }: NewDecision): Promise<void> {
  await tx.run(insert, {
    ...decision,
    fee: fee === null ? null : String(fee),
    lostContents: lost?.contents ?? null,
    lostVersions: lost?.versions ?? null,
    lostBytes: lost === null ? null : String(lost.bytes),
  })
  await tx.run(prune, {})
}

/** Newest first. */
export async function listDecisions(read: Reader, page: { readonly before: number; readonly limit: number }): Promise<readonly Decision[]> {
  return (await read.all(findPage, { ...page })).map(({ fee, lostContents, lostVersions, lostBytes, ...row }) => ({
    ...row,
    fee: fee === null ? null : BigInt(fee),
    lost: lostContents === null ? null : { contents: lostContents, versions: lostVersions ?? 0, bytes: BigInt(lostBytes ?? 0) },
  }))
}

/** Decisions since then. An action without any is missing. */
export const countDecisions = async (read: Reader, sinceMs: number): Promise<ReadonlyMap<NewDecision['action'], number>> =>
  new Map((await read.all(countSince, { sinceMs })).map(({ action, count }) => [action, count]))

/** Estimated fees of the repairs that were confirmed since then. */
export const feesSince = async (read: Reader, sinceMs: number): Promise<bigint> =>
  (await read.all(findFees, { sinceMs })).reduce((sum, { fee }) => sum + BigInt(fee), 0n)

/** The replacement whose place this one took. */
export const supersededBy = (read: Reader, id: number) => read.get(findSuperseded, { id })
