import { type Clock, type Database, defineService } from '#kernel'
import type { Bucket, BucketDeletion } from '#plugins/storage'
import { S3Error } from '../wire/s3-error.ts'
import { deleteSetting, deleteSettings, findSetting, writeSetting } from './bucket-setting-store.ts'

/** A configuration that clients store with a bucket. */
export interface BucketSetting<Value> {
  readonly name: string
  /** Type of the value; stored as JSON. */
  readonly value?: Value
}

export const defineBucketSetting = <Value>(name: string): BucketSetting<Value> => ({ name })

/** Configurations of buckets. Those of a deleted bucket are deleted with it. */
export interface BucketSettings {
  find<Value>(bucket: Bucket, setting: BucketSetting<Value>): Promise<Value | undefined>
  /** Throws NoSuchBucket when the bucket was deleted. */
  set<Value>(bucket: Bucket, setting: BucketSetting<Value>, value: Value): Promise<void>
  remove(bucket: Bucket, setting: BucketSetting<unknown>): Promise<void>
}

export const bucketSettings = defineService<BucketSettings>('s3.bucket-settings')

export function createBucketSettings({ database, clock }: { readonly database: Database; readonly clock: Clock }): BucketSettings {
  return {
    async find<Value>({ id }: Bucket, { name }: BucketSetting<Value>) {
      const document = await findSetting(database.read, { bucketId: id, name })
      return document === undefined ? undefined : (JSON.parse(document) as Value)
    },
    async set(bucket, { name }, value) {
      await database.write(async (tx) => {
        if (await writeSetting(tx, { bucketId: bucket.id, name }, JSON.stringify(value), clock.now())) return
        throw new S3Error('NoSuchBucket', { extras: { BucketName: bucket.name } })
      })
    },
    remove: ({ id }, { name }) => database.write((tx) => deleteSetting(tx, { bucketId: id, name })),
  }
}

export const bucketSettingsDeletion: BucketDeletion = { name: 's3-bucket-settings', deleted: deleteSettings }
