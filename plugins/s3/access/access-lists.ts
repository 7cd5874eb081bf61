import { type Clock, type Database, defineService, type Tx } from '#kernel'
import type { Bucket, Buckets, ObjectVersion } from '#plugins/storage'
import { findSetting, holdBucket, readSettings, writeSetting } from '../bucket-settings/bucket-setting-store.ts'
import { S3Error } from '../wire/s3-error.ts'
import { type AccessDefaults, type BucketAccess, type BucketRules, rulesOf } from './access-rules-policy.ts'
import {
  addObjectAccess,
  addUploadAccess,
  type FoundAccess,
  findObjectAccess,
  findOwners,
  moveUploadAccess,
  type ObjectAccess,
  replaceObjectAccess,
} from './object-access-store.ts'

type ObjectPlace = Parameters<typeof findObjectAccess>[1]

/** Owners and access lists of buckets and objects. Those of buckets are in memory, because every request reads them. */
export interface AccessLists {
  rulesOf(bucket: Bucket): BucketRules
  accessOf(bucket: Bucket): BucketAccess
  /** `change` may throw to refuse. Throws NoSuchBucket when the bucket was deleted. Later requests see the change. */
  changeBucket(bucket: Bucket, change: (current: BucketAccess) => BucketAccess): Promise<void>
  /** Of the current or the named version. */
  findObject(place: ObjectPlace): Promise<FoundAccess | undefined>
  /** Inside the transaction that adds the version. */
  addToVersion(tx: Tx, version: ObjectVersion, access: ObjectAccess): Promise<void>
  /** Inside the transaction that adds the upload. */
  addToUpload(tx: Tx, uploadId: string, access: ObjectAccess): Promise<void>
  /** Inside the transaction that makes the version of the upload. */
  moveToVersion(tx: Tx, uploadId: string, version: ObjectVersion): Promise<void>
  /** `access`: undefined for the default. Throws NoSuchVersion when the version was deleted. */
  replaceObject(version: ObjectVersion, access: ObjectAccess | undefined): Promise<void>
  /** Owners by version or upload ID; those that belong to the owner of the bucket are absent. */
  ownersOf(bucket: Bucket, of: 'versions' | 'uploads', ids: readonly string[]): Promise<ReadonlyMap<string, string>>
}

export const accessLists = defineService<AccessLists>('s3.access-lists')

interface AccessDeps {
  readonly database: Database
  readonly buckets: Pick<Buckets, 'list'>
  readonly clock: Clock
  readonly settings: AccessDefaults
}

/** Name of the setting of buckets that has a BucketAccess. */
const name = 'access'

export async function createAccessLists({ database, buckets, clock, settings }: AccessDeps): Promise<AccessLists> {
  const stored = await readSettings(database.read, name)
  const accesses = new Map(stored.map(({ bucketId, document }) => [bucketId, JSON.parse(document) as BucketAccess]))

  const forgetDeleted = () => {
    const existing = new Set(buckets.list().map(({ id }) => id))
    for (const id of accesses.keys()) if (!existing.has(id)) accesses.delete(id)
  }

  const none = new Map<string, string>()
  const rules = (bucket: Bucket) => rulesOf(bucket, accesses.get(bucket.id), settings)

  return {
    rulesOf: rules,
    accessOf: ({ id }) => accesses.get(id) ?? {},
    async changeBucket(bucket, change) {
      await database.write(async (tx) => {
        if (!(await holdBucket(tx, bucket.id))) throw new S3Error('NoSuchBucket', { extras: { BucketName: bucket.name } })
        const place = { bucketId: bucket.id, name }
        const document = await findSetting(tx, place)
        const changed = change(document === undefined ? {} : (JSON.parse(document) as BucketAccess))
        await writeSetting(tx, place, JSON.stringify(changed), clock.now())
        tx.afterCommit(() => void accesses.set(bucket.id, changed))
      })
      forgetDeleted()
    },
    findObject: (place) => findObjectAccess(database.read, place),
    addToVersion: (tx, { versionId }, access) => addObjectAccess(tx, versionId, access),
    addToUpload: addUploadAccess,
    moveToVersion: (tx, uploadId, { versionId }) => moveUploadAccess(tx, uploadId, versionId),
    async replaceObject({ bucketId, key, versionId }, access) {
      if (await database.write((tx) => replaceObjectAccess(tx, { bucketId, key, versionId }, access))) return
      throw new S3Error('NoSuchVersion', { extras: { Key: key, VersionId: versionId } })
    },
    ownersOf: async (bucket, of, ids) => (rules(bucket).mayHaveOtherOwners ? findOwners(database.read, of, ids) : none),
  }
}
