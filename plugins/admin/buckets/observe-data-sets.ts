import type { Log } from '#kernel'
import type { Contributions } from '#kernel/system'
import type { DataSetRecord } from '#plugins/replication'
import { versionHealthParts } from '../contract.ts'
import { readParts } from './read-parts.ts'
import { isObservedHealth, type Observations } from './storage-health-policy.ts'

type ObserveDataSets = (dataSets: readonly DataSetRecord[], staleBeforeMs?: number) => Promise<Observations>

/** Reads the observations of all plugins. */
export const observeWith =
  (deps: { readonly contributions: Contributions; readonly log: Log }): ObserveDataSets =>
  async (dataSets, staleBeforeMs) => {
    const { parts, failed } = await readParts(deps, versionHealthParts, async (part, services) => {
      const observed = [...(await part.observe(services, dataSets, staleBeforeMs))]
      for (const [id, health] of observed) if (!isObservedHealth(health)) throw new Error(`the health of data set ${id} is not valid`)
      return observed
    })
    const found = parts.flatMap(({ value }) => value)
    const grouped = Map.groupBy(found, ([id]) => id)
    return {
      byDataSet: new Map([...grouped].map(([id, entries]) => [id, entries.map(([, health]) => health)])),
      ...(failed === 0 ? {} : { lastError: 'some observations could not be read' }),
    }
  }
