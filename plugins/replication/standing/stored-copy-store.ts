import { type Reader, sqlStatement } from '#kernel'
import type { StoredCopy } from '../contract.ts'

type StoredRow = Omit<StoredCopy, 'verify'>

interface CopyRow extends Omit<StoredRow, 'counts'> {
  readonly counts: number
}

const counts = `case when k.state = 'committed' and d.state in ('ready', 'write_blocked', 'retiring') and s.reason is null and w.copy_id is null
  then 1 else 0 end`

/** Copies of the content, of the pack of a member, or of the parts of a composite in their order. */
const find = sqlStatement<{ contentId: number }, CopyRow>(
  `select k.id as "copyId", o.part, k.slot as "copyIndex", p.length, k.state, ${counts} as counts, d.provider_id as "providerId",
     d.service_url as "serviceUrl", d.id as "dataSetId", d.chain_id as "chainDataSetId", p.piece_cid as "pieceCid", k.chain_piece_id as "pieceId",
     b.tx_hash as "transaction", k.committed_at as "committedAtMs"
   from (select coalesce((select m.pack_id from pack_members m where m.content_id = :contentId), cast(:contentId as bigint)) as id, 0 as part where not exists (select 1 from content_parts c where c.content_id = :contentId)
     union all select c.part_content_id, c.part_no from content_parts c where c.content_id = :contentId) o
   join copies k on k.content_id = o.id join pieces p on p.id = k.piece_id join data_sets d on d.id = k.data_set_id
   left join commit_batches b on b.id = k.batch_id left join data_set_standings s on s.data_set_id = d.id
   left join copy_doubts w on w.copy_id = k.id
   where k.state not in ('lost', 'removed') order by o.part, k.slot, k.id`,
)

export const storedCopies = async (read: Reader, contentId: number): Promise<readonly StoredRow[]> =>
  (await read.all(find, { contentId })).map((row) => ({ ...row, counts: row.counts === 1 }))
