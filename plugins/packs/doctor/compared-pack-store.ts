import { type Reader, sqlStatement } from '#kernel'

export interface ComparedPack {
  readonly id: number
  readonly size: number
  readonly bucket: string
}

/** `cross join` makes SQLite begin at the packs: contents are many more. */
const columns = `c.id, c.size, b.name as bucket from packs p cross join contents c join buckets b on b.id = p.bucket_id
  where c.id = p.content_id and c.state = 'live' and c.store_state <> 'lost'`

const next = sqlStatement<{ after: number; limit: number }, ComparedPack>(
  `select ${columns} and p.content_id > :after order by p.content_id limit :limit`,
)
const some = sqlStatement<{ limit: number }, ComparedPack>(`select ${columns} order by random() limit :limit`)

interface MemberRow {
  readonly contentId: number
  readonly offset: number
  readonly length: number
  readonly sha256: string | null
}

const findMembers = sqlStatement<{ packId: number }, MemberRow>(
  `select m.content_id as "contentId", m.offset_bytes as "offset", m.length, c.sha256 from pack_members m
   join contents c on c.id = m.content_id where m.pack_id = :packId`,
)

export const packsAfter = (read: Reader, after: number, limit: number): Promise<readonly ComparedPack[]> => read.all(next, { after, limit })

/** A random sample. */
export const somePacks = (read: Reader, limit: number): Promise<readonly ComparedPack[]> => read.all(some, { limit })

export const membersByOffset = async (read: Reader, packId: number): Promise<Map<number, MemberRow>> =>
  new Map((await read.all(findMembers, { packId })).map((member) => [member.offset, member]))
