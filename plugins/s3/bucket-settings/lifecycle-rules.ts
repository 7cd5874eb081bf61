import { BoundedMap, type Clock, type Database, type Reader } from '#kernel'
import type { Bucket, Buckets } from '#plugins/storage'
import type { LifecycleEngine, LifecycleRule, LifecycleRules, StoredRules } from '../contract.ts'
import { S3Error } from '../wire/s3-error.ts'
import { bucketsWithSetting, deleteSetting, findSetting, findTimedSetting, holdBucket, writeSetting } from './bucket-setting-store.ts'

interface RulesDeps {
  readonly database: Database
  readonly buckets: Pick<Buckets, 'list'>
  readonly clock: Clock
  readonly engine: LifecycleEngine | undefined
}

const name = 'lifecycle'
/** Rules in memory: a configuration may have 1000 rules. */
const cachedMax = 32

export async function createLifecycleRules({ database, buckets, clock, engine }: RulesDeps): Promise<LifecycleRules> {
  const withRules = new Set((await bucketsWithSetting(database.read, { name })).map(({ bucketId }) => bucketId))
  const cached = new BoundedMap<number, readonly LifecycleRule[]>(cachedMax)
  let changes = 0
  const note = (bucketId: number, hasRules: boolean) => {
    changes += 1
    cached.clear()
    if (hasRules) withRules.add(bucketId)
    else withRules.delete(bucketId)
  }
  const forgetDeleted = () => {
    const existing = new Set(buckets.list().map(({ id }) => id))
    for (const id of withRules) if (!existing.has(id)) withRules.delete(id)
  }
  const find = async ({ id }: Pick<Bucket, 'id'>) => {
    if (!withRules.has(id)) return undefined
    const known = cached.get(id)
    if (known) return known
    const before = changes
    const rules = (await readStored(database.read, id))?.rules
    if (rules && before === changes) cached.set(id, rules)
    return rules
  }
  return {
    find,
    isCarriedOut: engine !== undefined,
    async set(bucket, rules) {
      if (!engine) throw new S3Error('NotImplemented', { message: 'Lifecycle rules need the plugin lifecycle, which is disabled.' })
      const place = { bucketId: bucket.id, name }
      const document = JSON.stringify(rules)
      await database.write(async (tx) => {
        if (!(await holdBucket(tx, bucket.id))) throw new S3Error('NoSuchBucket', { extras: { BucketName: bucket.name } })
        if ((await findSetting(tx, place)) === document) return
        await writeSetting(tx, place, document, clock.now())
        tx.afterCommit(() => note(bucket.id, true))
      })
      forgetDeleted()
    },
    async remove({ id }) {
      await database.write(async (tx) => {
        // Deletions that the rules asked for are committed before, or see that there are none.
        await holdBucket(tx, id)
        await deleteSetting(tx, { bucketId: id, name })
        tx.afterCommit(() => note(id, false))
      })
    },
    hasRules: ({ id }) => withRules.has(id),
    async expiryOf(bucket, version) {
      const rules = engine && version.isCurrent ? await find(bucket) : undefined
      return rules && engine?.expiryOf(rules, version)
    },
    async bucketsWithRules(page) {
      return (await bucketsWithSetting(database.read, { name, ...page })).map(({ bucketId }) => bucketId)
    },
    read: (bucketId) => readStored(database.read, bucketId),
    async hold(tx, bucketId) {
      return (await holdBucket(tx, bucketId)) ? await findSetting(tx, { bucketId, name }) : undefined
    },
  }
}

async function readStored(read: Reader, bucketId: number): Promise<StoredRules | undefined> {
  const row = await findTimedSetting(read, { bucketId, name })
  return row && { rules: JSON.parse(row.document) as readonly LifecycleRule[], revision: row.document, changedAtMs: row.changedAtMs }
}
