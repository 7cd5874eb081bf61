import { type Reader, sqlStatement } from '#kernel'
import type { NewerVersions } from '../../contract.ts'
import type { StoredVersion } from './stored-version.ts'

interface OfVersion {
  readonly bucketId: number
  readonly key: string
  readonly versionId: string
  readonly limit: number
}

const newer = 'n.bucket_id = v.bucket_id and n.key = v.key and n.rseq < v.rseq'

/** The newest version of the key is the current one. */
const find = sqlStatement<OfVersion, { nextAtMs: number | null; noncurrent: number }>(
  `select (select n.created_at from object_versions n where ${newer} order by n.rseq desc limit 1) as "nextAtMs",
     (select count(*) from (select 1 from object_versions n where ${newer} and n.is_delete_marker = 0
        and n.rseq > (select min(c.rseq) from object_versions c where c.bucket_id = v.bucket_id and c.key = v.key)
        order by n.rseq desc limit :limit) few) as noncurrent
   from object_versions v where v.version_id = :versionId and v.bucket_id = :bucketId and v.key = :key`,
)

/** What is newer than the version; noncurrent ones are counted up to `limit`. */
export async function newerVersions(read: Reader, version: StoredVersion, limit: number): Promise<NewerVersions> {
  const { bucketId, key, versionId } = version
  const row = await read.get(find, { bucketId, key, versionId, limit })
  return { nextAtMs: row?.nextAtMs ?? undefined, noncurrent: Number(row?.noncurrent ?? 0) }
}
