/** Publishes that objects of a bucket were added, deleted or restored, whichever API did it. */
import type { Clock, Events } from '#kernel'
import { nameOf } from '../catalog/bucket-ref-policy.ts'
import { type BucketRef, objectsUpdated } from '../contract.ts'

export interface ObjectEvents extends AsyncDisposable {
  /** Call after the commit. Publishes each bucket at most once a second. */
  changed(bucket: BucketRef): void
}

export const objectEventLimits = {
  gatherMs: 1000,
  /** Buckets per second, as many as the stream buffers for a slow client; more are dropped, and clients reload the list. */
  gatheredMax: 32,
} as const

export function createObjectEvents({ clock, events }: { readonly clock: Clock; readonly events: Events }): ObjectEvents {
  const gathered = new Set<string>()
  const stop = new AbortController()
  let gathering: Promise<void> | undefined

  function publish(): void {
    gathering = undefined
    const names = [...gathered]
    gathered.clear()
    for (const bucket_name of names) events.publish(objectsUpdated, { bucket_name })
  }

  return {
    changed(bucket) {
      if (stop.signal.aborted || gathered.size >= objectEventLimits.gatheredMax) return
      gathered.add(nameOf(bucket))
      // Only the end of the service ends the sleep early; then no client is connected.
      gathering ??= clock.sleep(objectEventLimits.gatherMs, stop.signal).then(publish, () => {})
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await gathering
    },
  }
}
