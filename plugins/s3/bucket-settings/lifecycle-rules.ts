import { BoundedMap, type Clock, type Database } from '#kernel'
import type { Bucket, Buckets } from '#plugins/storage'
import type { LifecycleEngine, LifecycleRule, LifecycleRules } from '../contract.ts'
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
  const stored = await bucketsWithSetting(database.read, { name })
  /** Buckets with rules, each with the number of the change that stored them. */
  const withRules = new Map(stored.map(({ bucketId }) => [bucketId, 0]))
  const cached = new BoundedMap<number, { readonly change: number; readonly rules: readonly LifecycleRule[] }>(cachedMax)
  let changes = 0
  /** The rules of the last document that a run read: it reads them for each of its pages. */
  let parsed: { readonly document: string; readonly rules: readonly LifecycleRule[] } | undefined
  const forgetDeleted = () => {
    const existing = new Set(buckets.list().map(({ id }) => id))
    for (const id of withRules.keys()) if (!existing.has(id)) withRules.delete(id)
  }
  const find = async ({ id }: Pick<Bucket, 'id'>) => {
    const change = withRules.get(id)
    if (change === undefined) return undefined
    const known = cached.get(id)
    if (known?.change === change) return known.rules
    const document = await findSetting(database.read, { bucketId: id, name })
    const rules = document === undefined ? undefined : rulesOf(document)
    // Rules that were read before a change are not kept as those after it.
    if (rules && withRules.get(id) === change) cached.set(id, { change, rules })
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
        tx.afterCommit(() => void withRules.set(bucket.id, ++changes))
      })
      forgetDeleted()
    },
    async remove({ id }) {
      await database.write(async (tx) => {
        // Deletions that the rules asked for are committed before, or see that there are none.
        await holdBucket(tx, id)
        await deleteSetting(tx, { bucketId: id, name })
        tx.afterCommit(() => void withRules.delete(id))
      })
    },
    hasRules: ({ id }) => withRules.has(id),
    async expiryOf(bucket, version) {
      const rules = engine && version.isCurrent ? await find(bucket) : undefined
      return rules && engine?.expiryOf(rules, version)
    },
    stateOf: async ({ id }) => await engine?.stateOf(id),
    async bucketsWithRules(page) {
      return (await bucketsWithSetting(database.read, { name, ...page })).map(({ bucketId }) => bucketId)
    },
    async read(bucketId) {
      const row = await findTimedSetting(database.read, { bucketId, name })
      if (!row) return undefined
      const { document, changedAtMs } = row
      if (parsed?.document !== document) parsed = { document, rules: rulesOf(document) }
      return { rules: parsed.rules, revision: document, changedAtMs }
    },
    async hold(tx, bucketId) {
      return (await holdBucket(tx, bucketId)) ? await findSetting(tx, { bucketId, name }) : undefined
    },
  }
}

const rulesOf = (document: string): readonly LifecycleRule[] => JSON.parse(document)
