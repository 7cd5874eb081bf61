import { type Reader, sqlStatement } from '#kernel'

export interface MarkedFile {
  readonly blobId: string
  readonly contentId: number
  readonly epoch: number
  readonly bucket: string
  /** One of the keys with these bytes; null when all are deleted. */
  readonly key: string | null
  readonly readableCopies: number
}

const oneKey = `coalesce((select min(v.key) from object_versions v where v.content_id = c.id),
  (select min(v.key) from content_parts p join object_versions v on v.content_id = p.content_id where p.part_content_id = c.id))`

const marked = sqlStatement<{ after: string; limit: number }, MarkedFile>(
  `select f.blob_id as "blobId", f.content_id as "contentId", f.epoch, b.name as bucket, ${oneKey} as key, c.readable_copies as "readableCopies"
   from cache_blobs f join contents c on c.id = f.content_id join cache_entries e on e.content_id = c.id join buckets b on b.id = c.bucket_id
   where f.damaged_at is not null and e.state = 'damaged' and f.blob_id > :after order by f.blob_id limit :limit`,
)

interface Owner extends Pick<MarkedFile, 'bucket' | 'key' | 'readableCopies'> {
  readonly isCached: boolean
}

const owner = sqlStatement<{ contentId: number }, Omit<Owner, 'isCached'> & { readonly entries: number }>(
  `select b.name as bucket, ${oneKey} as key, c.readable_copies as "readableCopies",
     (select count(*) from cache_entries e where e.content_id = c.id) as entries
   from contents c join buckets b on b.id = c.bucket_id where c.id = :contentId and c.state = 'live'`,
)

/** Files of damaged entries that failed a verification. */
export const markedFilesAfter = (read: Reader, after: string, limit: number): Promise<readonly MarkedFile[]> =>
  read.all(marked, { after, limit })

/** Returns nothing when the content was deleted. */
export async function ownerOf(read: Reader, contentId: number): Promise<Owner | undefined> {
  const found = await read.get(owner, { contentId })
  if (!found) return undefined
  const { entries, ...rest } = found
  return { ...rest, isCached: Number(entries) > 0 }
}
