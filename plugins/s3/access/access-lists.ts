import { type Clock, type Database, defineService, type Tx } from '#kernel'
import type { Bucket, Buckets, ObjectVersion } from '#plugins/storage'
import { defineBucketSetting } from '../bucket-settings/bucket-settings.ts'
import { readIntoMemory } from '../bucket-settings/setting-in-memory.ts'
import { S3Error } from '../wire/s3-error.ts'
import { type AccessDefaults, type BucketAccess, type BucketRules, rulesOf } from './access-rules-policy.ts'
import {
  addObjectAccess,
  addUploadAccess,
  copyUploadAccess,
  type FoundAccess,
  findObjectAccess,
  findOwners,
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
  /** Finds the access of the current or the named version. */
  findObject(place: ObjectPlace): Promise<FoundAccess | undefined>
  /** Runs inside the transaction that adds the version. */
  addToVersion(tx: Tx, version: ObjectVersion, access: ObjectAccess): Promise<void>
  /** Runs inside the transaction that adds the upload. */
  addToUpload(tx: Tx, uploadId: string, access: ObjectAccess): Promise<void>
  /** Runs inside the transaction that makes the version of the upload. */
  copyFromUpload(tx: Tx, uploadId: string, version: ObjectVersion): Promise<void>
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
  readonly users: { ownerIdOf(accessKey: string | null): string }
}

const accessSetting = defineBucketSetting<BucketAccess>('access')
const noAccess: BucketAccess = {}

export async function createAccessLists({ settings, users, ...deps }: AccessDeps): Promise<AccessLists> {
  const { database } = deps
  const accesses = await readIntoMemory(deps, accessSetting)
  const none = new Map<string, string>()
  const accessOf = (bucket: Bucket) => accesses.of(bucket) ?? noAccess
  const rules = (bucket: Bucket) => rulesOf({ owner: users.ownerIdOf(bucket.ownerAccessKey) }, accessOf(bucket), settings)

  return {
    rulesOf: rules,
    accessOf,
    changeBucket: (bucket, change) => accesses.change(bucket, (current = noAccess) => change(current)),
    findObject: (place) => findObjectAccess(database.read, place),
    addToVersion: addObjectAccess,
    addToUpload: addUploadAccess,
    copyFromUpload: copyUploadAccess,
    async replaceObject({ bucketId, key, versionId }, access) {
      if (await database.write((tx) => replaceObjectAccess(tx, { bucketId, key, versionId }, access))) return
      throw new S3Error('NoSuchVersion', { extras: { Key: key, VersionId: versionId } })
    },
    ownersOf: async (bucket, of, ids) => (rules(bucket).mayHaveOtherOwners ? findOwners(database.read, of, ids) : none),
  }
}
