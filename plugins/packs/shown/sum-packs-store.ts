import { type Reader, sqlStatement } from '#kernel'

interface PackSums {
  readonly packs: number
  readonly members: number
  readonly livingBytes: number
  readonly bytes: number
  readonly waiting: number
  readonly waitingBytes: number
}

/** `cross join` makes SQLite begin at the packs: contents are many more. */
const sum = sqlStatement<object, PackSums>(
  `select p.packs, p.members, p.living as "livingBytes", p.bytes, w.waiting, w.bytes as "waitingBytes"
   from (select count(*) as packs, cast(coalesce(sum(k.members), 0) as bigint) as members,
       cast(coalesce(sum(k.living_bytes), 0) as bigint) as living, cast(coalesce(sum(c.size), 0) as bigint) as bytes
     from packs k cross join contents c where c.id = k.content_id and c.state = 'live') p,
     (select count(*) as waiting, cast(coalesce(sum(length), 0) as bigint) as bytes from waiting_members) w`,
)

const sumOfBucket = sqlStatement<{ bucketId: number }, { packs: number; members: number; bytes: number; livingBytes: number }>(
  `select count(*) as packs, cast(coalesce(sum(k.members), 0) as bigint) as members, cast(coalesce(sum(c.size), 0) as bigint) as bytes,
     cast(coalesce(sum(k.living_bytes), 0) as bigint) as "livingBytes"
   from packs k join contents c on c.id = k.content_id where k.bucket_id = :bucketId and c.state = 'live'`,
)

/** Sums of the packs of one bucket. */
export async function sumPacksOf(read: Reader, bucketId: number): Promise<Pick<PackSums, 'packs' | 'members' | 'bytes' | 'livingBytes'>> {
  const row = await read.get(sumOfBucket, { bucketId })
  if (!row) throw new Error('a sum without groups has one row')
  return { ...row, packs: Number(row.packs) }
}

/** Sums of all buckets. */
export async function sumPacks(read: Reader): Promise<PackSums> {
  const row = await read.get(sum, {})
  if (!row) throw new Error('a sum without groups has one row')
  return { ...row, packs: Number(row.packs), waiting: Number(row.waiting) }
}
