import type { Params, Tx } from '#kernel'
import { statement } from '../entities/tables.ts'
import { formatTexts } from './stored-version.ts'

interface NewTags {
  readonly bucketId: number
  readonly key: string
  readonly versionId: string
  readonly tags: string | null
}

const setTags = statement((db, { bucketId, key, versionId, tags }: Params<NewTags>) =>
  db
    .updateTable('object_versions')
    .set({ tags })
    .where('version_id', '=', versionId)
    .where('bucket_id', '=', bucketId)
    .where('key', '=', key)
    .where('is_delete_marker', '=', 0),
)

/** False when there is no such version with bytes. */
export async function writeTags(
  tx: Tx,
  { tags, ...version }: Omit<NewTags, 'tags'> & { readonly tags: Readonly<Record<string, string>> },
): Promise<boolean> {
  return (await tx.run(setTags, { ...version, tags: formatTexts(tags) })).changes > 0
}
