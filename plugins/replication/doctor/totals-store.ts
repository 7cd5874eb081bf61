import { sqlStatement, type Tx } from '#kernel'

const committed = "from copies k where k.data_set_id = :dataSetId and k.state = 'committed'"
const versions = `from copies k join contents c on c.id = k.content_id where k.data_set_id = :dataSetId and k.state = 'committed'`

const addTotals = sqlStatement<{ dataSetId: number }>(
  'insert into data_set_totals (data_set_id) select id from data_sets where id = :dataSetId on conflict (data_set_id) do nothing',
)

const countTotals = sqlStatement<{ dataSetId: number }>(
  `update data_set_totals set
     committed_copies = (select count(*) ${committed}),
     committed_bytes = (select coalesce(sum(p.length), 0) from copies k join pieces p on p.id = k.piece_id
       where k.data_set_id = :dataSetId and k.state = 'committed'),
     referenced_versions = (select coalesce(sum(c.ref_count), 0) ${versions}),
     current_versions = (select coalesce(sum((select count(*) from object_heads h where h.content_id = c.id)), 0) ${versions})
   where data_set_id = :dataSetId`,
)

/** One transaction: other writes wait while a large data set is counted. */
export async function recountDataSet(tx: Tx, dataSetId: number): Promise<boolean> {
  await tx.run(addTotals, { dataSetId })
  return (await tx.run(countTotals, { dataSetId })).changes > 0
}
