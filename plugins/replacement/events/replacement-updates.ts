import { type Clock, defineEvent, defineService, type Events, type Log } from '#kernel'
import type { Buckets } from '#plugins/storage'
import { describeProgress } from '../api/describe-replacement.ts'
import type { ProgressAnswer } from '../api/record-api.ts'
import type { ReplacementChanges, ReplacementStatus, Replacements } from '../contract.ts'

/** The status or the progress of a replacement changed. At most one event a second for each, with its latest state. */
export const replacementUpdated = defineEvent<{
  readonly replacement_id: number
  readonly bucket_name: string
  readonly status: ReplacementStatus
  readonly progress: ProgressAnswer
}>('storage_replacement_updated')

const gatherMs = 1000
/** Events per second; further replacements are dropped. Watchers buffer little and reload the list. */
const gatheredMax = 100

/** Publishes `storage_replacement_updated`. Disposing publishes the remaining updates. */
type ReplacementUpdates = AsyncDisposable

export const replacementUpdates = defineService<ReplacementUpdates>('replacement.updates')

interface UpdatesDeps {
  readonly replacements: Pick<Replacements, 'find' | 'progress'>
  readonly changes: ReplacementChanges
  readonly buckets: Pick<Buckets, 'list'>
  readonly events: Events
  readonly clock: Clock
  readonly log: Log
}

/** Collects the changes of replacements and publishes them once a second. While the event stream has no reader, nothing is read. */
export function createReplacementUpdates({ replacements, changes, buckets, events, clock, log }: UpdatesDeps): ReplacementUpdates {
  const gathered = new Set<number>()
  const stop = new AbortController()
  let gathering: Promise<void> | undefined

  async function publish(): Promise<void> {
    const ids = [...gathered]
    gathered.clear()
    gathering = undefined
    if (!events.isWatched()) {
      for (const _ of ids) events.skip()
      return
    }
    for (const id of ids) {
      const replacement = await replacements.find(id)
      const bucket = buckets.list().find((bucket) => bucket.id === replacement?.bucketId)
      if (!replacement || !bucket) continue
      const progress = describeProgress(replacement, await replacements.progress(replacement))
      events.publish(replacementUpdated, { replacement_id: id, bucket_name: bucket.name, status: replacement.status, progress })
    }
  }

  const stopWatching = changes.subscribe((id) => {
    if (gathered.size >= gatheredMax) return
    gathered.add(id)
    // Only the stop ends the pause early.
    gathering ??= clock
      .sleep(gatherMs, stop.signal)
      .then(publish, publish)
      .catch((error: unknown) => log.warn('updates of replacements not published', { error }))
  })
  return {
    async [Symbol.asyncDispose]() {
      stopWatching()
      stop.abort()
      await gathering
    },
  }
}
