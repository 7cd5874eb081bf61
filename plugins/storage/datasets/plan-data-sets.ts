import { defineProbe } from '#kernel'
import { newNonce } from '../chain/typed-data.ts'
import type { Pipeline } from '../pipeline.ts'
import { currentDataSets, type DataSet, planDataSet } from './data-set-store.ts'
import { countLoad, usedProviders } from './load-store.ts'
import { selectProviders } from './select-provider-policy.ts'

const planned = defineProbe('storage.dataset.planned')

/**
 * The current generation of each of the bucket's first `slots` replica slots, planning those that are missing as far as there are
 * providers. Nothing is paid here: creation is a task of its own.
 */
export async function planDataSets(doors: Pipeline, bucketId: number, slots: number): Promise<readonly DataSet[]> {
  const current = currentDataSets(doors.database.read, bucketId)
  const missing = Array.from({ length: slots }, (_, slot) => slot).filter((slot) => !current.some((dataSet) => dataSet.slot === slot))
  if (missing.length === 0) return current
  const available = await doors.providers.listAvailable()
  const load = countLoad(doors.database.read)
  const used = usedProviders(doors.database.read, bucketId)
  const chosen = selectProviders(
    available.map((provider) => ({ ...provider, load: load.get(provider.providerId) ?? 0 })),
    { count: missing.length, used },
  )
  const nowMs = doors.clock.now()
  await doors.database.write((tx) => {
    for (const [index, provider] of chosen.entries()) {
      const slot = missing[index] as number
      const id = planDataSet(
        tx,
        {
          bucketId,
          slot,
          providerId: provider.providerId,
          providerAddress: provider.address,
          payee: provider.payee,
          serviceUrl: provider.serviceUrl,
          clientDataSetId: newNonce(),
        },
        nowMs,
      )
      // Undefined: another content of the bucket planned the slot meanwhile, and its choice stands.
      if (id !== undefined) doors.schedule.ensure(tx, id)
    }
  })
  await planned()
  return currentDataSets(doors.database.read, bucketId)
}
