import { setImmediate } from 'node:timers/promises'
import type { Clock, Database, Reader } from '#kernel'
import type { BucketDependence, ProviderDependences } from '../../contract.ts'
import { countLosses } from '../losses/lost-content-store.ts'
import { DependenceCount, sumDependence } from './count-dependence-policy.ts'
import { compositesOf, pageOfDependent, type SetOfProvider, setsOfProvider } from './dependence-store.ts'
import { shareCounts } from './share-count.ts'

/** Contents that are counted between two turns of the event loop. */
const contentsPerPage = 200

export function createProviderDependences({
  clock,
  database,
}: {
  readonly clock: Clock
  readonly database: Pick<Database, 'read'>
}): ProviderDependences {
  return {
    lossesOf: (dataSetId) => countLosses(database.read, dataSetId, setImmediate),
    of: shareCounts(clock, async (providerId: string) => {
      const countedAtMs = clock.now()
      const buckets: BucketDependence[] = []
      for (const set of await setsOfProvider(database.read, providerId)) buckets.push(await countSet(database.read, providerId, set))
      return { countedAtMs, buckets, total: sumDependence(buckets) }
    }),
  }
}

async function countSet(read: Reader, providerId: string, { minimum, ...set }: SetOfProvider): Promise<BucketDependence> {
  const count = new DependenceCount()
  for (let after = 0; ; ) {
    const page = await pageOfDependent(read, { providerId, dataSetId: set.dataSetId, after, limit: contentsPerPage })
    const held = page.filter(({ isHeld }) => isHeld).map(({ id }) => id)
    count.add(page, held.length === 0 ? [] : await compositesOf(read, held), minimum)
    await setImmediate()
    if (page.length < contentsPerPage) return { ...set, ...count.result() }
    after = page.at(-1)?.id ?? after
  }
}
