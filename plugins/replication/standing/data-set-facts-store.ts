import { type Reader, sqlStatement } from '#kernel'
import type { DataSetFacts, DeniedReason } from '../contract.ts'
import { dataSetStatus } from '../copies/records/placement-store.ts'
import type { DataSetState } from '../states/tables/data-set-transitions-policy.ts'

interface FactsRow extends Omit<DataSetFacts, 'isCurrent' | 'status' | 'denied' | 'missingCopies' | 'wrongCopies' | 'deniedCopies'> {
  readonly isCurrent: number
  readonly state: DataSetState
  readonly reason: DeniedReason | null
  readonly sinceMs: number | null
}

const find = sqlStatement<{ bucketId: number | null; providerId: string | null }, FactsRow>(
  `select d.id, d.bucket_id as "bucketId", coalesce(b.deleted_name, b.name) as "bucketName", d.slot as "copyIndex", d.generation,
     d.provider_id as "providerId", d.service_url as "serviceUrl", d.chain_id as "dataSetId", d.client_data_set_id as "clientDataSetId", d.state,
     t.committed_copies as "committedCopies", d.chosen_reason as "chosenReason", d.chosen_detail as "chosenDetail", s.reason, s.since as "sinceMs",
     case when exists (select 1 from replica_slots c where c.current_data_set_id = d.id) then 1 else 0 end as "isCurrent"
   from data_sets d join buckets b on b.id = d.bucket_id join data_set_totals t on t.data_set_id = d.id
   left join data_set_standings s on s.data_set_id = d.id
   where (cast(:bucketId as bigint) is null or d.bucket_id = :bucketId) and (cast(:providerId as text) is null or d.provider_id = :providerId)
   order by d.bucket_id, d.slot, d.generation`,
)

const countDoubts = sqlStatement<Record<never, never>, { id: number; missing: number; wrong: number; denied: number }>(
  `select k.data_set_id as id, sum(case when w.result = 'missing' then 1 else 0 end) as missing,
     sum(case when w.result = 'wrong_bytes' then 1 else 0 end) as wrong,
     sum(case when w.denied_at is not null then 1 else 0 end) as denied
   from copy_doubts w join copies k on k.id = w.copy_id where k.state = 'committed' group by k.data_set_id`,
)

/** Pieces of open batches and open removals. */
const findMoving = sqlStatement<Record<never, never>, { id: number; n: number }>(
  `select id, cast(sum(n) as bigint) as n from (
     select a.data_set_id as id, sum(a.piece_count) as n from commit_batches a where a.state not in ('confirmed', 'closed') group by a.data_set_id
     union all
     select r.data_set_id, count(*) from removals r where r.state not in ('removed', 'data_set_ended') group by r.data_set_id) moving
   group by id`,
)

export const listMoving = async (read: Reader): Promise<ReadonlyMap<number, number>> =>
  new Map((await read.all(findMoving, {})).map(({ id, n }) => [id, n]))

/** All data sets with the facts that our records have of them, by bucket, slot and generation. */
export async function listFacts(
  read: Reader,
  { bucketId = null, providerId = null }: { readonly bucketId?: number | null; readonly providerId?: string | null },
): Promise<readonly DataSetFacts[]> {
  const doubts = new Map((await read.all(countDoubts, {})).map((row) => [row.id, row]))
  return (await read.all(find, { bucketId, providerId })).map(({ isCurrent, state, reason, sinceMs, ...row }) => ({
    ...row,
    isCurrent: isCurrent === 1,
    status: dataSetStatus(state),
    denied: reason === null ? null : { reason, sinceMs: sinceMs ?? 0 },
    missingCopies: doubts.get(row.id)?.missing ?? 0,
    wrongCopies: doubts.get(row.id)?.wrong ?? 0,
    deniedCopies: doubts.get(row.id)?.denied ?? 0,
  }))
}
