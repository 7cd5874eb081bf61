import { type Reader, sqlStatement } from '#kernel'

const find = sqlStatement<{ contentId: number }, { n: number }>(
  `select count(distinct k.slot) as n from copies k join data_sets d on d.id = k.data_set_id join commit_batches b on b.id = k.batch_id
   left join data_set_standings s on s.data_set_id = d.id left join copy_doubts w on w.copy_id = k.id
   where k.content_id = :contentId and k.state = 'committed' and b.final_at is not null and d.state in ('ready', 'write_blocked', 'retiring')
     and s.reason is null and w.denied_at is null`,
)

export const countFinalCopies = async (read: Reader, contentId: number): Promise<number> =>
  Number((await read.get(find, { contentId }))?.n ?? 0)
