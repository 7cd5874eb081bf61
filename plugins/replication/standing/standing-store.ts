/** The only writer of `data_set_standings`. */
import { type Params, type Reader, sqlStatement, type Tx } from '#kernel'
import type { DeniedReason } from '../contract.ts'
import { statement } from '../tables.ts'

export interface StoredStanding {
  readonly dataSetId: number
  readonly reason: DeniedReason | null
  readonly sinceMs: number
  readonly countedTo: number | null
}

const columns = ['data_set_id as dataSetId', 'reason', 'since as sinceMs', 'counted_to as countedTo'] as const

const listAll = statement((db) => db.selectFrom('data_set_standings').select(columns))

const find = statement((db, { dataSetId }: Params<{ dataSetId: number }>) =>
  db.selectFrom('data_set_standings').select(columns).where('data_set_id', '=', dataSetId).forUpdate(),
)

/** Only a data set that serves pieces, under the id on chain that was read. */
const findServing = statement((db, { dataSetId, chainId }: Params<{ dataSetId: number; chainId: string }>) =>
  db
    .selectFrom('data_sets')
    .select('id')
    .where('id', '=', dataSetId)
    .where('chain_id', '=', chainId)
    .where('state', 'in', ['ready', 'write_blocked', 'retiring']),
)

type Change = { dataSetId: number; reason: DeniedReason | null; nowMs: number }
const upsert = statement((db, { dataSetId, reason, nowMs }: Params<Change>) =>
  db
    .insertInto('data_set_standings')
    .values({ data_set_id: dataSetId, reason, since: nowMs, counted_to: 0 })
    .onConflict((conflict) => conflict.column('data_set_id').doUpdateSet({ reason, since: nowMs, counted_to: 0 })),
)

const rename = statement((db, { dataSetId, reason }: Params<Omit<Change, 'nowMs'>>) =>
  db.updateTable('data_set_standings').set({ reason }).where('data_set_id', '=', dataSetId),
)

const advance = statement((db, { dataSetId, countedTo }: Params<{ dataSetId: number; countedTo: number | null }>) =>
  db.updateTable('data_set_standings').set({ counted_to: countedTo }).where('data_set_id', '=', dataSetId),
)

const remove = statement((db, { dataSetId }: Params<{ dataSetId: number }>) =>
  db.deleteFrom('data_set_standings').where('data_set_id', '=', dataSetId),
)

const findContents = statement((db, { dataSetId, after, limit }: Params<{ dataSetId: number; after: number; limit: number }>) =>
  db
    .selectFrom('copies')
    .select('content_id as id')
    .distinct()
    .where('data_set_id', '=', dataSetId)
    .where('state', '=', 'committed')
    .where('content_id', '>', after)
    .orderBy('content_id')
    .limit(limit),
)

/** A denied copy of the content that its counts still include. */
const findUncounted = sqlStatement<{ contentId: number }, { id: number }>(
  `select k.id from data_set_standings s join copies k on k.data_set_id = s.data_set_id
   where s.reason is not null and s.counted_to < :contentId and k.content_id = :contentId and k.state = 'committed' limit 1`,
)

export const listStandings = (read: Reader): Promise<readonly StoredStanding[]> => read.all(listAll)

export const findStanding = (tx: Tx, dataSetId: number): Promise<StoredStanding | undefined> => tx.get(find, { dataSetId })

export const isServing = async (read: Reader, dataSetId: number, chainId: string): Promise<boolean> =>
  (await read.get(findServing, { dataSetId, chainId })) !== undefined

/** Changes whether the copies on the data set count; all of its contents must be counted again. */
export async function setStanding(tx: Tx, change: Change): Promise<void> {
  await tx.run(upsert, change)
}

/** The copies still do not count, for another reason. */
export async function renameReason(tx: Tx, dataSetId: number, reason: DeniedReason): Promise<void> {
  await tx.run(rename, { dataSetId, reason })
}

export async function recordCounted(tx: Tx, { dataSetId, reason }: StoredStanding, countedTo: number | null): Promise<void> {
  if (countedTo === null && reason === null) await tx.run(remove, { dataSetId })
  else await tx.run(advance, { dataSetId, countedTo })
}

/** Contents with a committed copy on the data set, by id. */
export const contentsOnDataSet = async (
  read: Reader,
  dataSetId: number,
  page: { readonly after: number; readonly limit: number },
): Promise<readonly number[]> => (await read.all(findContents, { dataSetId, ...page })).map(({ id }) => id)

/** Whether the counts of the content include a copy that does not count any more. */
export const isCountStale = async (read: Reader, contentId: number): Promise<boolean> =>
  (await read.get(findUncounted, { contentId })) !== undefined
