/** Configurations of buckets: JSON documents by name. */
import { type DueTimes, type Params, type Reader, statementsOver, type TablesOf, type Tx } from '#kernel'
import type { StorageTables } from '#plugins/storage'
import type { bucketSettingEntity } from './bucket-setting-entity.ts'

const statement = statementsOver<TablesOf<typeof bucketSettingEntity> & StorageTables>()

interface Place {
  readonly bucketId: number
  readonly name: string
}

const find = statement((db, { bucketId, name }: Params<Place>) =>
  db.selectFrom('s3_bucket_settings').select('document').where('bucket_id', '=', bucketId).where('name', '=', name),
)
const write = statement((db, { bucketId, name, document, nowMs }: Params<Place & { document: string; nowMs: number }>) =>
  db
    .insertInto('s3_bucket_settings')
    .values({ bucket_id: bucketId, name, document, updated_at: nowMs })
    .onConflict((conflict) =>
      conflict
        .columns(['bucket_id', 'name'])
        .doUpdateSet(({ ref }) => ({ document: ref('excluded.document'), updated_at: ref('excluded.updated_at') })),
    ),
)
const remove = statement((db, { bucketId, name }: Params<Place>) =>
  db.deleteFrom('s3_bucket_settings').where('bucket_id', '=', bucketId).where('name', '=', name),
)
const removeAll = statement((db, { bucketId }: Params<{ bucketId: number }>) =>
  db.deleteFrom('s3_bucket_settings').where('bucket_id', '=', bucketId),
)
const lockBucket = statement((db, { bucketId }: Params<{ bucketId: number }>) =>
  db.selectFrom('buckets').select('id').where('id', '=', bucketId).where('deleted_at', 'is', null).forUpdate(),
)

const findNamed = statement((db, { name }: Params<{ name: string }>) =>
  db.selectFrom('s3_bucket_settings').select(['bucket_id as bucketId', 'document']).where('name', '=', name),
)

interface SettingPage {
  readonly name: string
  readonly afterId?: number
  readonly changedUntilMs?: number
  readonly limit?: number
}

const findBuckets = statement((db, { name, afterId, changedUntilMs, limit }: Params<Required<SettingPage>>) =>
  db
    .selectFrom('s3_bucket_settings')
    .select('bucket_id as bucketId')
    .where('name', '=', name)
    .where('bucket_id', '>', afterId)
    .where('updated_at', '<=', changedUntilMs)
    .orderBy('bucket_id')
    .limit(limit),
)
const findTime = statement((db, { bucketId, name }: Params<Place>) =>
  db
    .selectFrom('s3_bucket_settings')
    .select(['document', 'updated_at as changedAtMs'])
    .where('bucket_id', '=', bucketId)
    .where('name', '=', name),
)

const boundTimes = statement((db, { nowMs }: Params<{ nowMs: number }>) =>
  db.updateTable('s3_bucket_settings').set({ updated_at: nowMs }).where('updated_at', '>', nowMs),
)

const { MAX_SAFE_INTEGER: noLimit } = Number

/** Buckets with a setting of this name, by id. */
export async function bucketsWithSetting(
  read: Reader,
  { name, afterId = 0, changedUntilMs = noLimit, limit = noLimit }: SettingPage,
): Promise<readonly { readonly bucketId: number }[]> {
  return await read.all(findBuckets, { name, afterId, changedUntilMs, limit })
}

export async function findTimedSetting(
  read: Reader,
  place: Place,
): Promise<{ readonly document: string; readonly changedAtMs: number } | undefined> {
  return await read.get(findTime, place)
}

/** Reads those of all buckets that have one of this name. */
export async function readSettings(
  read: Reader,
  name: string,
): Promise<readonly { readonly bucketId: number; readonly document: string }[]> {
  return await read.all(findNamed, { name })
}

/** Keeps other changes of the bucket waiting until the transaction ends. False when the bucket was deleted. */
export async function holdBucket(tx: Tx, bucketId: number): Promise<boolean> {
  return (await tx.get(lockBucket, { bucketId })) !== undefined
}

export async function findSetting(read: Reader, place: Place): Promise<string | undefined> {
  return (await read.get(find, place))?.document
}

/** False when the bucket was deleted. */
export async function writeSetting(tx: Tx, place: Place, document: string, nowMs: number): Promise<boolean> {
  if (!(await holdBucket(tx, place.bucketId))) return false
  await tx.run(write, { ...place, document, nowMs })
  return true
}

export async function deleteSetting(tx: Tx, place: Place): Promise<void> {
  await tx.run(remove, place)
}

export async function deleteSettings(tx: Tx, bucketId: number): Promise<void> {
  await tx.run(removeAll, { bucketId })
}

/** Lifecycle rules act from the first midnight after their time on: those that were stored while the clock was ahead would rest until then. */
export const settingTimes: DueTimes = {
  name: 's3-bucket-settings',
  async bound(tx, nowMs) {
    await tx.run(boundTimes, { nowMs })
  },
}
