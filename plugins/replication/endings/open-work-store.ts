import { type Reader, sqlStatement } from '#kernel'

/** Work on a data set that has a place in its pieces on chain: removals, batches, copies. */
const findOpenWork = sqlStatement<{ dataSetId: number }, { n: number }>(
  `select 1 as n where exists (select 1 from removals where data_set_id = :dataSetId and state not in ('removed', 'data_set_ended'))
   or exists (select 1 from commit_batches where data_set_id = :dataSetId and state not in ('confirmed', 'closed'))
   or exists (select 1 from copies where data_set_id = :dataSetId and state <> 'removed')`,
)

/** Whether the data set has copies that are not removed, or requests whose outcome is open. */
export const hasOpenWork = async (read: Reader, dataSetId: number): Promise<boolean> =>
  (await read.get(findOpenWork, { dataSetId })) !== undefined

const findFinalLanding = sqlStatement<{ dataSetId: number }, { epoch: number }>(
  'select landed_epoch as epoch from data_sets where id = :dataSetId and final_at is not null and landed_epoch is not null',
)

/** Epoch in which the creation of the data set is known to be on chain; undefined while it is not final. */
export async function finalLanding(read: Reader, dataSetId: number): Promise<bigint | undefined> {
  const row = await read.get(findFinalLanding, { dataSetId })
  return row && BigInt(row.epoch)
}
