import type { Clock, Database } from '#kernel'
import type { Bucket, Buckets } from '#plugins/storage'
import { S3Error } from '../wire/s3-error.ts'
import { findSetting, holdBucket, readSettings, writeSetting } from './bucket-setting-store.ts'
import type { BucketSetting } from './bucket-settings.ts'

/** A setting of buckets that every request reads. */
interface SettingInMemory<Value> {
  of(bucket: Pick<Bucket, 'id'>): Value | undefined
  /** `change` may throw to refuse. Throws NoSuchBucket when the bucket was deleted. Later requests see the change. */
  change(bucket: Bucket, change: (current: Value | undefined) => Value): Promise<void>
}

interface SettingDeps {
  readonly database: Database
  readonly buckets: Pick<Buckets, 'list'>
  readonly clock: Clock
}

export async function readIntoMemory<Value>(
  { database, buckets, clock }: SettingDeps,
  { name }: BucketSetting<Value>,
): Promise<SettingInMemory<Value>> {
  const parse = (document: string) => JSON.parse(document) as Value
  const stored = await readSettings(database.read, name)
  const values = new Map(stored.map(({ bucketId, document }) => [bucketId, parse(document)]))
  const forgetDeleted = () => {
    const existing = new Set(buckets.list().map(({ id }) => id))
    for (const id of values.keys()) if (!existing.has(id)) values.delete(id)
  }
  return {
    of: ({ id }) => values.get(id),
    async change(bucket, change) {
      await database.write(async (tx) => {
        if (!(await holdBucket(tx, bucket.id))) throw new S3Error('NoSuchBucket', { extras: { BucketName: bucket.name } })
        const place = { bucketId: bucket.id, name }
        const document = await findSetting(tx, place)
        const changed = change(document === undefined ? undefined : parse(document))
        await writeSetting(tx, place, JSON.stringify(changed), clock.now())
        tx.afterCommit(() => void values.set(bucket.id, changed))
      })
      forgetDeleted()
    },
  }
}
