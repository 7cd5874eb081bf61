import { type Reader, sqlStatement } from '#kernel'
import { statesWithBytes } from '../states/tables/copy-transitions-policy.ts'
import { statesThatServe } from '../states/tables/data-set-transitions-policy.ts'
import { listOf } from '../states/tables/transition.ts'

/** A committed copy with the place of its piece on chain. */
interface RefillableCopy {
  readonly copyId: number
  readonly contentId: number
  /** Local id. */
  readonly dataSetId: number
  readonly batchId: number
  readonly pieceId: string
  readonly pieceCid: string
}

/** The cache, or the provider of another slot, has the bytes; a copy that is denied itself is no source. */
const hasOtherSource = `(exists (select 1 from cache_entries e where e.content_id = k.content_id and e.state = 'present')
  or exists (select 1 from copies o join data_sets f on f.id = o.data_set_id where o.piece_id = k.piece_id and o.slot <> k.slot
    and o.state in ${listOf(statesWithBytes)} and f.state in ${listOf(statesThatServe)}
    and not exists (select 1 from copy_doubts v where v.copy_id = o.id and v.denied_at is not null)
    and not exists (select 1 from data_set_standings s where s.data_set_id = f.id and s.reason is not null)))`

const find = sqlStatement<{ copyId: number }, RefillableCopy>(
  `select k.id as "copyId", k.content_id as "contentId", k.data_set_id as "dataSetId", k.batch_id as "batchId", k.chain_piece_id as "pieceId",
     p.piece_cid as "pieceCid"
   from copies k join contents c on c.id = k.content_id join pieces p on p.id = k.piece_id join data_sets d on d.id = k.data_set_id
   join replica_slots r on r.current_data_set_id = d.id join commit_batches b on b.id = k.batch_id
   where k.id = :copyId and k.state = 'committed' and k.chain_piece_id is not null and p.piece_cid is not null and c.state = 'live'
     and d.state = 'ready' and not exists (select 1 from data_set_endings g where g.data_set_id = d.id)
     and b.final_at is not null and ${hasOtherSource}`,
)

/** The copy, if its piece can be stored again on the same data set: that takes pieces, and another source has the bytes. */
export const findRefillable = (read: Reader, copyId: number): Promise<RefillableCopy | undefined> => read.get(find, { copyId })
