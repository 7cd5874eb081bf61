import { defineProbe } from '#kernel'
import { newNonce } from '../chain/typed-data.ts'
import type { Pipeline } from '../pipeline.ts'
import { chooseProviders } from './choose-providers.ts'
import { isCurrent, replaceInSlot } from './current-slot-store.ts'
import { type DataSet, hasDataSetAt } from './data-set-store.ts'

type PlanAtOtherProviderDeps = Pick<Pipeline, 'clock' | 'database' | 'log' | 'providers' | 'states'>

const replanned = defineProbe('storage.dataset.replanned')

/**
 * The provider of a planned data set is unreachable. When it does not answer the inventory's ping either, another provider gets the slot:
 * nothing was paid, because the first one never received the signed creation. Returns whether one was found.
 */
export async function planAtOtherProvider(deps: PlanAtOtherProviderDeps, dataSet: DataSet): Promise<boolean> {
  const { providers, database, clock, log, states } = deps
  const available = await providers.listAvailable()
  if (available.some(({ providerId }) => providerId === dataSet.providerId)) return false
  // Pieces that wait for this data set may have its provider's maximum size.
  const wanted = { bucketId: dataSet.bucketId, count: 1, pieceBytes: dataSet.pieceBytesMax }
  const [choice] = await chooseProviders(database.read, available, wanted)
  if (!choice) return false
  const { providerId, address: providerAddress, payee, serviceUrl, pieceBytesMax, chosenBecause } = choice
  const { bucketId, slot } = dataSet
  const plan = { bucketId, slot, providerId, providerAddress, payee, serviceUrl, pieceBytesMax, chosenBecause, clientDataSetId: newNonce() }
  const message = `provider ${dataSet.providerId} could not be reached before the data set was created`
  const id = await database.write(async (tx) => {
    // An operator chose the provider of a data set that is not current yet.
    if (!(await isCurrent(tx, dataSet.id)) || (await hasDataSetAt(tx, { bucketId, providerId }))) return undefined
    // The creation may have been received since.
    if (!(await states.dataSets.apply(tx, 'replanned', dataSet.id, { message }))) return undefined
    const next = await states.dataSets.plan(tx, plan)
    await replaceInSlot(tx, { from: dataSet.id, to: next }, clock.now())
    return next
  })
  if (id === undefined) return false
  await replanned()
  log.warn('a data set is planned with another provider', { dataSet: dataSet.id, replacedBy: id, from: dataSet.providerId, to: providerId })
  return true
}
