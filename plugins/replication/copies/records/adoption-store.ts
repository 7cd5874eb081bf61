/** Pieces on chain that no row names: the database is older than the chain, as after a restored backup. */
import { type Reader, sqlStatement } from '#kernel'

interface IdRange {
  readonly from: number
  readonly to: number
}

interface OfDataSet {
  readonly dataSetId: number
}

/** Counts the pieces of an addition that is recorded as landed. */
const pieces = `case when b.piece_count > 0 then b.piece_count
  else (select count(*) from commit_items i where i.batch_id = b.id) end`
/** The second condition on the state is that of the partial index. */
const ofLanded = `from commit_batches b where b.data_set_id = :dataSetId and b.state = 'confirmed'
  and b.state not in ('pulling', 'ready', 'submitting', 'submitted', 'uncertain')`

const countRecorded = sqlStatement<OfDataSet, { n: number }>(`select coalesce(sum(${pieces}), 0) as n ${ofLanded}`)

/**
 * What lies between the ids of additions that are recorded as landed, up to `added`. An addition of an earlier version of svc may not have the
 * id that follows it: its ids are listed too.
 */
const findGaps = sqlStatement<OfDataSet & { readonly added: number }, IdRange>(
  `select g."from", g."to" from (
     select coalesce(lag(l."end") over (order by l."end", l.n), 0) as "from", l."end" - l.n as "to" from (
       select cast(b.next_piece_id as bigint) as "end", ${pieces} as n ${ofLanded} and b.next_piece_id is not null
       union all select cast(:added as bigint), 0) l) g
   where g."from" < g."to" order by g."from"`,
)

const findRecorded = sqlStatement<OfDataSet & { readonly pieceIds: readonly string[] }, { pieceId: string }>(
  `select chain_piece_id as "pieceId" from copies where data_set_id = :dataSetId and chain_piece_id in :pieceIds
   union select chain_piece_id from removals where data_set_id = :dataSetId and chain_piece_id in :pieceIds`,
)

const findUndecided = sqlStatement<OfDataSet & { readonly pieceCids: readonly string[] }, { pieceCid: string }>(
  `select distinct i.piece_cid as "pieceCid" from commit_batches b join commit_items i on i.batch_id = b.id
   where b.data_set_id = :dataSetId and b.state not in ('confirmed', 'closed') and i.piece_cid in :pieceCids`,
)

/** Pieces of the additions to a data set that are recorded as landed. */
export const countRecordedPieces = async (read: Reader, dataSetId: number): Promise<number> =>
  (await read.get(countRecorded, { dataSetId }))?.n ?? 0

/** Ranges of ids below `added` that no recorded addition has. The end is exclusive. */
export async function unrecordedRanges(read: Reader, dataSetId: number, added: bigint): Promise<readonly IdRange[]> {
  const gaps = await read.all(findGaps, { dataSetId, added: Number(added) })
  return gaps.map(({ from, to }) => ({ from: Number(from), to: Number(to) }))
}

/** The ids that a copy or a removal has. */
export const recordedPieceIds = async (read: Reader, dataSetId: number, pieceIds: readonly string[]): Promise<ReadonlySet<string>> =>
  new Set((await read.all(findRecorded, { dataSetId, pieceIds })).map(({ pieceId }) => pieceId))

/**
 * The piece CIDs of additions that may have landed and are not recorded as landed: those in flight, and those from which an operator
 * released a copy. A piece on chain may be theirs; it is settled when they are.
 */
export const undecidedPieces = async (read: Reader, dataSetId: number, pieceCids: readonly string[]): Promise<ReadonlySet<string>> =>
  new Set((await read.all(findUndecided, { dataSetId, pieceCids })).map(({ pieceCid }) => pieceCid))
