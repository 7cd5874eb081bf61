import { type Reader, sqlStatement } from '#kernel'

type Named = { readonly id: number; readonly bucket: string }

const findContents = sqlStatement<{ ids: readonly number[] }, Named & { readonly objectKey: string | null }>(
  `select c.id, coalesce(b.deleted_name, b.name) as bucket, coalesce((select min(v.key) from object_versions v where v.content_id = c.id),
     (select min(v.key) from content_parts w join object_versions v on v.content_id = w.content_id where w.part_content_id = c.id)) as "objectKey"
   from contents c join buckets b on b.id = c.bucket_id where c.id in :ids`,
)

const findDataSets = sqlStatement<{ ids: readonly number[] }, Named & { readonly providerId: string }>(
  `select d.id, coalesce(b.deleted_name, b.name) as bucket, d.provider_id as "providerId" from data_sets d join buckets b on b.id = d.bucket_id where d.id in :ids`,
)

/** The bucket of each content, and the key of a version. */
export const nameContents = async (read: Reader, ids: readonly number[]) => (ids.length === 0 ? [] : await read.all(findContents, { ids }))

/** The bucket and provider of each data set. */
export const nameDataSets = async (read: Reader, ids: readonly number[]) => (ids.length === 0 ? [] : await read.all(findDataSets, { ids }))
