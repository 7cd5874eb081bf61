/** Contents of a bucket below a target. */
import { setImmediate } from 'node:timers/promises'
import { type Reader, sqlStatement } from '#kernel'
import { pieceBytesMin } from '#plugins/providers'

/** Contents with the same target. */
export interface TargetGroup {
  readonly targetCopies: number
  readonly contents: number
  readonly bytes: bigint
  /** Leaves of their pieces. */
  readonly leaves: bigint
}

interface GroupRow {
  readonly target: number
  readonly n: number
  readonly bytes: number
  readonly leaves: number
  readonly last: number
}

/** Contents that are read between two turns of the event loop. */
const contentsPerPage = 2000

/** 0: not raised. The leaves are those of `leavesOf`, and a smaller content is filled up. */
const countPage = sqlStatement<{ bucketId: number; copies: number; after: number; limit: number }, GroupRow>(
  `select x.target, count(*) as n, cast(sum(x.size) as bigint) as bytes, cast(sum((x.length * 4 + 126) / 127) as bigint) as leaves, max(x.id) as last
   from (select c.id, c.size, case when c.size < ${pieceBytesMin} then ${pieceBytesMin} else c.size end as length,
       case when c.state = 'live' and c.size > 0 and c.store_state <> 'lost' and c.target_copies < :copies then c.target_copies else 0 end as target
     from contents c where c.bucket_id = :bucketId and c.part_count = 0 and c.id > :after order by c.id limit :limit) x
   group by x.target`,
)

const findUnsettled = sqlStatement<{ bucketId: number; until: number; limit: number }, { id: number }>(
  `select id from contents where store_state <> 'stored' and bucket_id = :bucketId and store_state in ('storing', 'unstored', 'failed')
     and part_count = 0 and state = 'live' and id <= :until limit :limit`,
)

const sumSets = sqlStatement<{ bucketId: number }, { slot: number; chainId: string | null; bytes: number }>(
  `select s.slot, d.chain_id as "chainId", coalesce(t.committed_bytes, 0) as bytes from replica_slots s
   join data_sets d on d.id = s.current_data_set_id left join data_set_totals t on t.data_set_id = d.id
   where s.bucket_id = :bucketId order by s.slot`,
)

/** Counts all contents with a lower target, by their target, in pages between which other work runs: about 1 s for 1,000,000. */
export async function countBelowTarget(read: Reader, bucketId: number, copies: number): Promise<readonly TargetGroup[]> {
  const groups = new Map<number, TargetGroup>()
  for (let after = 0; ; ) {
    const rows = await read.all(countPage, { bucketId, copies, after, limit: contentsPerPage })
    for (const { target, n, bytes, leaves } of rows) {
      if (target === 0) continue
      const sum = groups.get(target) ?? { targetCopies: target, contents: 0, bytes: 0n, leaves: 0n }
      groups.set(target, { ...sum, contents: sum.contents + n, bytes: sum.bytes + BigInt(bytes), leaves: sum.leaves + BigInt(leaves) })
    }
    if (rows.reduce((sum, { n }) => sum + n, 0) < contentsPerPage) break
    after = Math.max(...rows.map(({ last }) => last))
    await setImmediate()
  }
  return [...groups.values()].toSorted((a, b) => a.targetCopies - b.targetCopies)
}

/** Number of contents up to an id that lack copies; counting stops at `max`. */
export const countUnsettled = async (read: Reader, bucketId: number, { until, max }: { until: number; max: number }): Promise<number> =>
  (await read.all(findUnsettled, { bucketId, until, limit: max })).length

/** The current data sets of the bucket, by slot. */
export const currentSets = (read: Reader, bucketId: number) => read.all(sumSets, { bucketId })
