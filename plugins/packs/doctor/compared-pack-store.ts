import { type Reader, sqlStatement } from '#kernel'

export interface ComparedPack {
  readonly id: number
  readonly size: number
  readonly bucket: string
}

const columns = `c.id, c.size, b.name as bucket from packs p join contents c on c.id = p.content_id join buckets b on b.id = c.bucket_id
  where c.state = 'live' and c.store_state <> 'lost'`

const next = sqlStatement<{ after: number; limit: number }, ComparedPack>(`select ${columns} and c.id > :after order by c.id limit :limit`)
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
