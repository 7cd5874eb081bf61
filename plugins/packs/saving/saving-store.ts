import { type Reader, sqlStatement } from '#kernel'
import type { PackedCopies } from '../stored/saving-policy.ts'

const sumPacked = sqlStatement<{ bucketId: number }, PackedCopies>(
  `select cast(coalesce(sum(k.members * c.durable_copies), 0) as bigint) as "ofObjects",
     cast(coalesce(sum(c.durable_copies), 0) as bigint) as "ofPacks"
   from packs k join contents c on c.id = k.content_id where k.bucket_id = :bucketId and c.state = 'live' and k.members > 0`,
)

interface SmallSum {
  readonly contents: number
  readonly bytes: number
  readonly copies: number
}

/** Contents with pieces of their own. Parts of composites are left out. */
const sumSmall = sqlStatement<{ bucketId: number; sinceMs: number; bytesMax: number }, SmallSum>(
  `select count(*) as contents, cast(coalesce(sum(c.size), 0) as bigint) as bytes, coalesce(max(c.target_copies), 0) as copies
   from contents c where c.bucket_id = :bucketId and c.part_count = 0 and c.hold_count = 0 and c.state = 'live' and c.created_at >= :sinceMs
     and c.size > 0 and c.size <= :bytesMax and not exists (select 1 from pack_members m where m.content_id = c.id)
     and not exists (select 1 from waiting_members w where w.content_id = c.id)`,
)

/** Copies of the packs of a bucket and of their members. */
export const packedCopies = async (read: Reader, bucketId: number): Promise<PackedCopies> =>
  (await read.get(sumPacked, { bucketId })) ?? { ofObjects: 0, ofPacks: 0 }

/** Small contents of a bucket since this time that are not packed. Reads each content of the bucket. */
export async function smallSince(
  read: Reader,
  range: { readonly bucketId: number; readonly sinceMs: number; readonly bytesMax: number },
): Promise<SmallSum> {
  const { contents = 0, bytes = 0, copies = 0 } = (await read.get(sumSmall, range)) ?? {}
  return { contents: Number(contents), bytes, copies: Number(copies) }
}
