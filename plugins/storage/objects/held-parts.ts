import type { Clock, Database, Log } from '#kernel'
import type { Cache } from '../cache/cache.ts'
import { currentEpoch } from '../catalog/cache-epoch-store.ts'
import { abandonedHolders, releaseHeldParts } from '../catalog/held-part-store.ts'
import type { Keepers } from '../contents/keepers.ts'
import { putProbes } from './put-probes.ts'

const holdersPerPage = 100

interface HeldPartDeps {
  readonly database: Database
  readonly cache: Pick<Cache, 'finishRelease'>
  readonly clock: Clock
  readonly log: Log
  readonly keepers: Pick<Keepers, 'givenUp'>
}

/** Ends an unfinished upload: its parts that nothing else refers to are removed from the cache and from the providers. */
export async function dropHeldParts({ database, cache, clock, log, keepers }: HeldPartDeps, holder: string): Promise<void> {
  const ended = await database.write(async (tx) => {
    const contentIds = await releaseHeldParts(tx, holder, clock.now())
    for (const contentId of contentIds) await keepers.givenUp(tx, contentId)
    return contentIds
  })
  await putProbes.partsDropped()
  for (const contentId of ended) {
    try {
      await cache.finishRelease(contentId)
    } catch (error) {
      log.warn('cached bytes of an unfinished upload not removed; will retry', { content: contentId, error })
    }
  }
}

/** Ends the puts that earlier process starts did not finish. */
export async function dropAbandonedParts(deps: HeldPartDeps): Promise<void> {
  const epoch = await currentEpoch(deps.database.read)
  for (;;) {
    const holders = await abandonedHolders(deps.database.read, { epoch, limit: holdersPerPage })
    if (holders.length === 0) return
    for (const holder of holders) await dropHeldParts(deps, holder)
  }
}
