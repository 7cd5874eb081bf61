/** Owners and lists of versions and of unfinished uploads. */
import { type Params, type Reader, statementsOver, type TablesOf, type Tx } from '#kernel'
import type { StorageTables } from '#plugins/storage'
import { type AccessList, namesEveryone } from '../wire/access-list-policy.ts'
import type { objectAccessEntity } from './object-access-entity.ts'
import type { uploadAccessEntity } from './upload-access-entity.ts'

const statement = statementsOver<TablesOf<typeof objectAccessEntity | typeof uploadAccessEntity> & StorageTables>()

/** Access of a version, or of the version that an upload will make. */
export interface ObjectAccess {
  /** Owner ID of a user; null: the owner of the bucket. */
  readonly owner: string | null
  readonly grants: AccessList
}

interface ObjectPlace {
  readonly bucketId: number
  readonly key: string
}

interface VersionPlace extends ObjectPlace {
  readonly versionId: string
}

type VersionId = Pick<VersionPlace, 'bucketId' | 'versionId'>

/** A version with its owner and list; undefined `access`: the default. */
export interface FoundAccess {
  readonly versionId: string
  readonly isDeleteMarker: boolean
  readonly access: ObjectAccess | undefined
}

const columns = ['v.version_id as versionId', 'v.is_delete_marker as isDeleteMarker', 'a.owner', 'a.grants'] as const

const findCurrent = statement((db, { bucketId, key }: Params<ObjectPlace>) =>
  db
    .selectFrom('object_versions as v')
    .leftJoin('s3_object_access as a', 'a.version_id', 'v.version_id')
    .select(columns)
    .where('v.bucket_id', '=', bucketId)
    .where('v.key', '=', key)
    .orderBy('v.rseq')
    .limit(1),
)
const findOne = statement((db, { bucketId, key, versionId }: Params<VersionPlace>) =>
  db
    .selectFrom('object_versions as v')
    .leftJoin('s3_object_access as a', 'a.version_id', 'v.version_id')
    .select(columns)
    .where('v.version_id', '=', versionId)
    .where('v.bucket_id', '=', bucketId)
    .where('v.key', '=', key),
)

/** Reads the access of the current version, or of the named one; a delete marker is a version. */
export async function findObjectAccess(
  read: Reader,
  { versionId, ...place }: ObjectPlace & { readonly versionId?: string | undefined },
): Promise<FoundAccess | undefined> {
  const row = await (versionId === undefined ? read.get(findCurrent, place) : read.get(findOne, { ...place, versionId }))
  if (row === undefined) return undefined
  const access = row.grants === null ? undefined : { owner: row.owner, grants: JSON.parse(row.grants) as AccessList }
  return { versionId: row.versionId, isDeleteMarker: row.isDeleteMarker === 1, access }
}

interface AccessRow {
  readonly id: string
  readonly owner: string | null
  readonly grants: string
}

interface ObjectAccessRow extends AccessRow {
  readonly publicBucketId: number | null
}

const toRow = (id: string, { owner, grants }: ObjectAccess): AccessRow => ({ id, owner, grants: JSON.stringify(grants) })

const writeObject = statement((db, { id, owner, grants, publicBucketId }: Params<ObjectAccessRow>) =>
  db
    .insertInto('s3_object_access')
    .values({ version_id: id, owner, grants, public_bucket_id: publicBucketId })
    .onConflict((conflict) =>
      conflict.column('version_id').doUpdateSet(({ ref }) => ({
        owner: ref('excluded.owner'),
        grants: ref('excluded.grants'),
        public_bucket_id: ref('excluded.public_bucket_id'),
      })),
    ),
)
const writeUpload = statement((db, { id, owner, grants }: Params<AccessRow>) =>
  db.insertInto('s3_upload_access').values({ upload_id: id, owner, grants }),
)
const removeObject = statement((db, { versionId }: Params<{ versionId: string }>) =>
  db.deleteFrom('s3_object_access').where('version_id', '=', versionId),
)
const lockVersion = statement((db, { bucketId, key, versionId }: Params<VersionPlace>) =>
  db
    .selectFrom('object_versions as v')
    .select('v.version_id as versionId')
    .where('v.version_id', '=', versionId)
    .where('v.bucket_id', '=', bucketId)
    .where('v.key', '=', key)
    .forUpdate(),
)
const findUpload = statement((db, { uploadId }: Params<{ uploadId: string }>) =>
  db.selectFrom('s3_upload_access').select(['owner', 'grants']).where('upload_id', '=', uploadId),
)
const copyFromVersion = statement((db, { from, versionId }: Params<{ from: string; versionId: string }>) =>
  db
    .insertInto('s3_object_access')
    .columns(['version_id', 'owner', 'grants', 'public_bucket_id'])
    .expression((select) =>
      select
        .selectFrom('s3_object_access')
        .select(({ val }) => [val(versionId).as('version_id'), 'owner', 'grants', 'public_bucket_id'])
        .where('version_id', '=', from),
    ),
)

export async function addObjectAccess(tx: Tx, { versionId, bucketId }: VersionId, access: ObjectAccess): Promise<void> {
  await tx.run(writeObject, { ...toRow(versionId, access), publicBucketId: namesEveryone(access.grants) ? bucketId : null })
}

export async function addUploadAccess(tx: Tx, uploadId: string, access: ObjectAccess): Promise<void> {
  await tx.run(writeUpload, { ...toRow(uploadId, access) })
}

/** Gives the version that an upload became the owner and the list of the upload. */
export async function copyUploadAccess(tx: Tx, uploadId: string, version: VersionId): Promise<void> {
  const row = await tx.get(findUpload, { uploadId })
  if (row !== undefined) await addObjectAccess(tx, version, { owner: row.owner, grants: JSON.parse(row.grants) as AccessList })
}

/** Gives a restored version the owner and the list of the version that it is a copy of. */
export async function copyObjectAccess(tx: Tx, from: string, to: string): Promise<void> {
  await tx.run(copyFromVersion, { from, versionId: to })
}

/** `access`: undefined for the default. False when the version was deleted. */
export async function replaceObjectAccess(tx: Tx, place: VersionPlace, access: ObjectAccess | undefined): Promise<boolean> {
  if ((await tx.get(lockVersion, { ...place })) === undefined) return false
  if (access === undefined) await tx.run(removeObject, { versionId: place.versionId })
  else await addObjectAccess(tx, place, access)
  return true
}

const ownersOfVersions = statement((db, { ids }: Params<{ ids: readonly string[] }>) =>
  db.selectFrom('s3_object_access').select(['version_id as id', 'owner']).where('version_id', 'in', ids).where('owner', 'is not', null),
)
const ownersOfUploads = statement((db, { ids }: Params<{ ids: readonly string[] }>) =>
  db.selectFrom('s3_upload_access').select(['upload_id as id', 'owner']).where('upload_id', 'in', ids).where('owner', 'is not', null),
)

/** Users that own versions or uploads, by version or upload ID. Those of the owner of the bucket are absent. */
export async function findOwners(read: Reader, of: 'versions' | 'uploads', ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await read.all(of === 'versions' ? ownersOfVersions : ownersOfUploads, { ids })
  return new Map(rows.flatMap(({ id, owner }) => (owner === null ? [] : [[id, owner] as const])))
}

const withPublicObjects = statement((db, { ids }: Params<{ ids: readonly number[] }>) =>
  db
    .selectFrom('buckets as b')
    .select('b.id')
    .where('b.id', 'in', ids)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('s3_object_access as a').select('a.version_id').whereRef('a.public_bucket_id', '=', 'b.id')),
    ),
)

/** Returns the buckets that have a version whose list names everyone. */
export async function findPublished(read: Reader, bucketIds: readonly number[]): Promise<ReadonlySet<number>> {
  return new Set((await read.all(withPublicObjects, { ids: bucketIds })).map(({ id }) => id))
}
