import type { Params, Reader } from '#kernel'
import { statement } from '../tables.ts'

interface FinalCopy {
  readonly copyId: number
  readonly contentId: number
  readonly pieceCid: string
}

const find = statement((db, { dataSetId, contentIds }: Params<{ dataSetId: number; contentIds: readonly number[] }>) =>
  db
    .selectFrom('copies as k')
    .innerJoin('pieces as p', 'p.id', 'k.piece_id')
    .innerJoin('commit_batches as b', 'b.id', 'k.batch_id')
    .select(['k.id as copyId', 'k.content_id as contentId', 'p.piece_cid as pieceCid'])
    .$narrowType<{ pieceCid: string }>()
    .where('k.data_set_id', '=', dataSetId)
    .where('k.content_id', 'in', contentIds)
    .where('k.state', '=', 'committed')
    .where('b.final_at', 'is not', null)
    .where('p.piece_cid', 'is not', null),
)

/** Copies of these contents on the data set that no reorganisation can undo. */
export const finalCopies = (read: Reader, dataSetId: number, contentIds: readonly number[]): Promise<readonly FinalCopy[]> =>
  read.all(find, { dataSetId, contentIds })
