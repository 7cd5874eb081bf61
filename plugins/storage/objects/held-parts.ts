import type { Clock, Database, Log } from '#kernel'
import type { Cache } from '../cache/cache.ts'
import { currentEpoch } from '../catalog/cached/cache-epoch-store.ts'
import { endingHolders, releaseHeldParts } from '../catalog/references/held-part-store.ts'
import type { Keepers } from '../contents/keepers.ts'
import { uploadLimits } from '../contract.ts'
import { putProbes } from './put-probes.ts'

/** Contents of one object: as many as parts of a multipart upload. */
export const objectPartsMax = uploadLimits.partNumberMax
const holdersPerPage = 100

export interface HeldPartDeps {
  readonly database: Database
  readonly cache: Pick<Cache, 'finishRelease'>
  readonly clock: Clock
  readonly log: Log
  readonly keepers: Pick<Keepers, 'releaseContent'>
}

/** Ends an unfinished upload: its parts that nothing else refers to are removed from the cache and from the providers. */
export async function dropHeldParts({ database, cache, clock, log, keepers }: HeldPartDeps, holder: string): Promise<void> {
  const ended = await database.write(
    async (tx) => {
      const contentIds = await releaseHeldParts(tx, holder, clock.now())
      for (const contentId of contentIds) await keepers.releaseContent(tx, contentId)
      return contentIds
    },
    { rows: objectPartsMax },
  )
  await putProbes.partsDropped()
  for (const contentId of ended) {
    try {
      await cache.finishRelease(contentId)
    } catch (error) {
      log.warn('cached bytes of an unfinished upload not removed; will retry', { content: contentId, error })
    }
  }
}

/** Holders of the puts that are running in this process. Their ids are unique among all databases. */
const running = new Set<string>()

/** Keeps the parts of the put until the returned value is disposed. */
export function holdParts(holder: string): Disposable {
  running.add(holder)
  return { [Symbol.dispose]: () => void running.delete(holder) }
}

/** Ends the puts that earlier process starts did not finish, and failed ones whose parts could not be dropped. */
export async function dropAbandonedParts(deps: HeldPartDeps, signal?: AbortSignal): Promise<void> {
  const current = await currentEpoch(deps.database.read)
  for (let after = ''; ; ) {
    const page = await endingHolders(deps.database.read, { after, limit: holdersPerPage })
    for (const { holder, epoch } of page) {
      signal?.throwIfAborted()
      if (epoch === current && running.has(holder)) continue
      try {
        await dropHeldParts(deps, holder)
      } catch (error) {
        deps.log.warn('parts of an unfinished put not dropped; will retry within an hour', { holder, error })
      }
    }
    const last = page.at(-1)
    if (last === undefined || page.length < holdersPerPage) return
    after = last.holder
  }
}
