import type { Pipeline } from '../pipeline.ts'
import { currentDataSets, type DataSet, knowsClientId } from './data-set-store.ts'
import { bucketName } from './load-store.ts'

/**
 * A data set of this wallet and of a bucket of this name that serves at the provider and that no record names: a database that was restored,
 * or another gateway, made it. A slot that moves there would pay for two, so the move ends with what is found; undefined without one.
 */
export async function findForeignDataSet(
  { database, reads, signer }: Pick<Pipeline, 'database' | 'reads' | 'signer'>,
  { id, bucketId, providerId, createExtraData }: DataSet,
): Promise<string | undefined> {
  // A signed creation is followed by its nonce. The first data sets of a slot are chosen by svc, among providers that it never used.
  if (createExtraData !== null) return undefined
  if ((await currentDataSets(database.read, bucketId)).some((current) => current.id === id)) return undefined
  const name = await bucketName(database.read, bucketId)
  const own = (await reads.dataSetsOf(signer.address)).filter(
    (found) => found.providerId.toString() === providerId && found.endEpoch === 0n,
  )
  for (const { dataSetId, clientDataSetId, metadata } of own) {
    if (!metadata.some(({ key, value }) => key === 'bucket' && value === name)) continue
    if (await knowsClientId(database.read, clientDataSetId)) continue
    return `provider ${providerId} already runs the data set ${dataSetId} for a bucket of this name, which this service did not create`
  }
  return undefined
}
