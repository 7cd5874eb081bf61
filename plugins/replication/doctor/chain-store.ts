/** Rows to compare with the chain and the providers. */
import { type Reader, sqlStatement } from '#kernel'

export interface RecordedDataSet {
  readonly id: number
  readonly chainId: string
  readonly state: string
  readonly bucket: string
}

export interface RecordedPiece {
  readonly copyId: number
  readonly dataSetId: string
  readonly pieceId: string
  readonly pieceCid: string
  readonly length: number
  readonly serviceUrl: string
  readonly bucket: string
  readonly key: string | null
}

/** Data sets that must exist on chain. */
const dataSets = `select d.id, d.chain_id as "chainId", d.state, b.name as bucket from data_sets d join buckets b on b.id = d.bucket_id
  where d.chain_id is not null and d.state in ('ready', 'write_blocked', 'retiring')`

const dataSetPage = sqlStatement<{ after: number; limit: number }, RecordedDataSet>(
  `${dataSets} and d.id > :after order by d.id limit :limit`,
)
const dataSetSample = sqlStatement<{ limit: number }, RecordedDataSet>(`${dataSets} order by random() limit :limit`)

/** Committed copies without a requested removal of their piece that may have an effect. An ended one had its effect, or has none. */
const pieces = `select k.id as "copyId", d.chain_id as "dataSetId", k.chain_piece_id as "pieceId", p.piece_cid as "pieceCid", p.length,
    d.service_url as "serviceUrl", b.name as bucket, (select min(v.key) from object_versions v where v.content_id = k.content_id) as key
  from copies k join data_sets d on d.id = k.data_set_id join pieces p on p.id = k.piece_id join buckets b on b.id = d.bucket_id
  where k.state = 'committed' and d.state = 'ready' and k.chain_piece_id is not null and p.piece_cid is not null
    and not exists (select 1 from removals r where r.data_set_id = k.data_set_id and r.chain_piece_id = k.chain_piece_id
      and r.state not in ('removed', 'data_set_ended') and r.state <> 'pending')`

const piecePage = sqlStatement<{ after: number; limit: number }, RecordedPiece>(`${pieces} and k.id > :after order by k.id limit :limit`)
const pieceSample = sqlStatement<{ limit: number }, RecordedPiece>(`${pieces} order by random() limit :limit`)
const onePiece = sqlStatement<{ copyId: number }, RecordedPiece>(`${pieces} and k.id = :copyId`)

/** Piece ids of the data set that a copy or a removal names. */
const knownIds = sqlStatement<{ id: number; pieceIds: readonly string[] }, { pieceId: string }>(
  `select k.chain_piece_id as "pieceId" from copies k where k.data_set_id = :id and k.state = 'committed' and k.chain_piece_id in :pieceIds
   union select r.chain_piece_id from removals r where r.data_set_id = :id and r.chain_piece_id in :pieceIds`,
)
const openBatch = sqlStatement<{ id: number }, { id: number }>(
  `select a.id from commit_batches a where a.data_set_id = :id and a.state not in ('confirmed', 'closed') limit 1`,
)

interface Page {
  readonly after: number
  readonly limit: number
}

export const dataSetsAfter = (read: Reader, page: Page): Promise<readonly RecordedDataSet[]> => read.all(dataSetPage, page)
export const someDataSets = (read: Reader, limit: number): Promise<readonly RecordedDataSet[]> => read.all(dataSetSample, { limit })
export const piecesAfter = (read: Reader, page: Page): Promise<readonly RecordedPiece[]> => read.all(piecePage, page)
export const somePieces = (read: Reader, limit: number): Promise<readonly RecordedPiece[]> => read.all(pieceSample, { limit })
/** Returns undefined when the copy was removed or moved since. */
export const findPiece = (read: Reader, copyId: number): Promise<RecordedPiece | undefined> => read.get(onePiece, { copyId })

/** The ids without a row. Undefined while the outcome of an addition to the data set is not recorded. */
export async function unrecordedIds(read: Reader, id: number, pieceIds: readonly string[]): Promise<readonly string[] | undefined> {
  if ((await read.get(openBatch, { id })) !== undefined) return undefined
  const known = new Set((await read.all(knownIds, { id, pieceIds })).map(({ pieceId }) => pieceId))
  return pieceIds.filter((pieceId) => !known.has(pieceId))
}
