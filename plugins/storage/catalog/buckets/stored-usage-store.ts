import type { Params, Reader } from '#kernel'
import type { StoredUsage } from '../../contract.ts'
import { statement } from '../entities/tables.ts'

/** Owner of the row of all buckets; no access key has this character. */
const everyOwner = '*'
/** Owner of the buckets of the internal root account. */
const rootOwner = ''
const columns = ['owner', 'buckets', 'versions', 'version_bytes as bytes'] as const
const nothing: StoredUsage = { buckets: 0, versions: 0, bytes: 0 }

const find = statement((db, { owner }: Params<{ owner: string }>) =>
  db.selectFrom('stored_usage').select(columns).where('owner', 'in', [owner, everyOwner]),
)
const all = statement((db) => db.selectFrom('stored_usage').select(columns))

const ofBucket = statement((db, { bucketId }: Params<{ bucketId: number }>) =>
  db.selectFrom('bucket_stats').select(['versions', 'version_bytes as bytes']).where('bucket_id', '=', bucketId),
)

const byOwnerOf = (rows: readonly (StoredUsage & { readonly owner: string })[]) =>
  new Map<string, StoredUsage>(rows.map(({ owner, ...usage }) => [owner, usage]))

/** Usage of one bucket; nothing when it was deleted. */
export async function readStoredIn(read: Reader, bucketId: number): Promise<Omit<StoredUsage, 'buckets'>> {
  return (await read.get(ofBucket, { bucketId })) ?? { versions: 0, bytes: 0 }
}

/** Usage of the buckets of this owner, and of all buckets. */
export async function readStoredUsage(
  read: Reader,
  ownerAccessKey: string | null,
): Promise<{ readonly own: StoredUsage; readonly total: StoredUsage }> {
  const owner = ownerAccessKey ?? rootOwner
  const found = byOwnerOf(await read.all(find, { owner }))
  return { own: found.get(owner) ?? nothing, total: found.get(everyOwner) ?? nothing }
}

/** Usage by access key, of every user that owns or owned a bucket, and of all buckets. */
export async function readStoredUsages(
  read: Reader,
): Promise<{ readonly byOwner: ReadonlyMap<string, StoredUsage>; readonly total: StoredUsage }> {
  const byOwner = byOwnerOf(await read.all(all))
  const total = byOwner.get(everyOwner) ?? nothing
  byOwner.delete(everyOwner)
  byOwner.delete(rootOwner)
  return { byOwner, total }
}
