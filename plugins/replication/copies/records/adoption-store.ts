/** Pieces on chain that no row names: the database is older than the chain, as after a restored backup. */
import { type Reader, sqlStatement } from '#kernel'

interface OfDataSet {
  readonly dataSetId: number
}

/** The second condition on the state is that of the partial index. */
const countRecorded = sqlStatement<OfDataSet, { n: number }>(
  `select coalesce(sum(case when b.piece_count > 0 then b.piece_count
      else (select count(*) from commit_items i where i.batch_id = b.id) end), 0) as n
   from commit_batches b where b.data_set_id = :dataSetId and b.state = 'confirmed'
     and b.state not in ('pulling', 'ready', 'submitting', 'submitted', 'uncertain')`,
)

const findRecorded = sqlStatement<OfDataSet & { readonly pieceIds: readonly string[] }, { pieceId: string }>(
  `select chain_piece_id as "pieceId" from copies where data_set_id = :dataSetId and chain_piece_id in :pieceIds
   union select chain_piece_id from removals where data_set_id = :dataSetId and chain_piece_id in :pieceIds`,
)

const findReleased = sqlStatement<{ copyIds: readonly number[] }, { copyId: number }>(
  `select distinct i.copy_id as "copyId" from commit_items i join commit_batches b on b.id = i.batch_id
   where i.copy_id in :copyIds and i.released_at is not null and b.state not in ('confirmed', 'closed')`,
)

/** Pieces of the additions to a data set that are recorded as landed. */
export const countRecordedPieces = async (read: Reader, dataSetId: number): Promise<number> =>
  (await read.get(countRecorded, { dataSetId }))?.n ?? 0

/** The ids that a copy or a removal has. */
export const recordedPieceIds = async (read: Reader, dataSetId: number, pieceIds: readonly string[]): Promise<ReadonlySet<string>> =>
  new Set((await read.all(findRecorded, { dataSetId, pieceIds })).map(({ pieceId }) => pieceId))

/** Copies that an operator released from a batch that may still land: its pieces are settled when it does. */
export const releasedCopies = async (read: Reader, copyIds: readonly number[]): Promise<ReadonlySet<number>> =>
  new Set((await read.all(findReleased, { copyIds })).map(({ copyId }) => copyId))
