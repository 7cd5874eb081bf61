/** Publishes that objects of a bucket were added, deleted or restored, whichever API did it. */
import type { Clock, Events } from '#kernel'
import { nameOf } from '../catalog/buckets/bucket-ref-policy.ts'
import { type BucketRef, objectsUpdated } from '../contract.ts'

export interface ObjectEvents extends AsyncDisposable {
  /** Call after the commit. Publishes each bucket at most once a second. */
  changed(bucket: BucketRef): void
}

export const objectEventLimits = {
  gatherMs: 1000,
  /** Buckets per second, as many as the stream buffers for a slow client. For more, clients see a gap and reload. */
  gatheredMax: 32,
} as const

export function createObjectEvents({ clock, events }: { readonly clock: Clock; readonly events: Events }): ObjectEvents {
  const gathered = new Set<string>()
  const stop = new AbortController()
  let gathering: Promise<void> | undefined
  let isFull = false

  function publish(): void {
    gathering = undefined
    const names = [...gathered]
    gathered.clear()
    for (const bucket_name of names) events.publish(objectsUpdated, { bucket_name })
    if (isFull) events.skip()
    isFull = false
  }

  return {
    changed(bucket) {
      if (stop.signal.aborted) return
      const name = nameOf(bucket)
      if (gathered.size < objectEventLimits.gatheredMax) gathered.add(name)
      else if (!gathered.has(name)) isFull = true
      // Only the end of the service ends the sleep early; then no client is connected.
      gathering ??= clock.sleep(objectEventLimits.gatherMs, stop.signal).then(publish, () => {})
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await gathering
    },
  }
}
