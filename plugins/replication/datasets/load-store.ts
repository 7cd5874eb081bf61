import type { Params, Reader } from '#kernel'
import { endedStates } from '../states/tables/data-set-transitions-policy.ts'
import { statement } from '../tables.ts'

const countByProvider = statement((db) =>
  db
    .selectFrom('data_sets')
    .select(({ fn }) => ['provider_id as providerId', fn.countAll<number>().as('dataSets')])
    .where('state', 'not in', endedStates)
    .groupBy('provider_id'),
)

const findUsed = statement((db, { bucketId }: Params<{ bucketId: number }>) =>
  db
    .selectFrom('data_sets')
    .select(['provider_id as providerId', 'state'])
    .where('bucket_id', '=', bucketId)
    .where((row) => row.or([row('state', '<>', 'abandoned'), row('create_offered_at', 'is not', null)])),
)

const findCommitted = statement((db, { dataSetId }: Params<{ dataSetId: number }>) =>
  db.selectFrom('copies').select('id').where('data_set_id', '=', dataSetId).where('state', '=', 'committed').limit(1),
)

const findName = statement((db, { bucketId }: Params<{ bucketId: number }>) =>
  db.selectFrom('buckets').select('name').where('id', '=', bucketId),
)

/** Number of our live data sets per provider id. */
export async function countLoad(reader: Reader): Promise<ReadonlyMap<string, number>> {
  return new Map((await reader.all(countByProvider)).map(({ providerId, dataSets }) => [providerId, dataSets]))
}

/** Ids of providers that the bucket ever used, without those replaced before they received a creation, and of those that still serve it. */
export async function providersOfBucket(reader: Reader, bucketId: number) {
  const found = await reader.all(findUsed, { bucketId })
  const idsOf = (rows: typeof found): ReadonlySet<string> => new Set(rows.map(({ providerId }) => providerId))
  return { used: idsOf(found), serving: idsOf(found.filter(({ state }) => !endedStates.includes(state))) }
}

/** Whether the data set has a committed piece: the first one starts its monthly fee. */
export async function holdsPieces(reader: Reader, dataSetId: number): Promise<boolean> {
  return (await reader.get(findCommitted, { dataSetId })) !== undefined
}

export async function bucketName(reader: Reader, bucketId: number): Promise<string> {
  return (await reader.get(findName, { bucketId }))?.name ?? ''
}
