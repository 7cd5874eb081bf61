/** Forwards the events of the service to every client of the event stream. */

import { defineErrors, defineService, type Events } from '#kernel'
import type { PublishedEvent } from '#kernel/system'
import { EventStream } from './event-stream.ts'

const eventErrors = defineErrors({
  event_streams_exhausted: { status: 503, message: 'Too many clients follow the events; close another one.' },
})

export const eventStreams = {
  watchersMax: 64,
  /** Below the idle timeouts of proxies and browsers. */
  heartbeatMs: 15_000,
  /** Interval of the session check: a stream outlives its session by at most this. */
  checkMs: 1000,
} as const

interface EventHub extends Disposable {
  /**
   * A new stream. It ends once `isAllowed` returns false, which is checked every second and before every frame. Throws
   * `event_streams_exhausted` (503) above 64 streams.
   */
  watch(isAllowed: () => boolean): EventStream
  /** Ends every stream, and each later one at once. */
  finish(): void
}

export const eventHub = defineService<EventHub>('admin.event-hub')

interface EventHubTimes {
  readonly heartbeatMs: number
  readonly checkMs: number
}

interface Watcher {
  readonly stream: EventStream
  readonly isAllowed: () => boolean
}

export function createEventHub(events: Events, { heartbeatMs, checkMs }: EventHubTimes = eventStreams): EventHub {
  const watchers = new Set<Watcher>()
  let seq = 0
  let isOver = false
  const send = (frame: string) => {
    for (const { stream, isAllowed } of watchers) {
      if (isAllowed()) stream.offer(frame)
      else stream.finish()
    }
  }
  // Counted without watchers too: a gap in the numbers means lost events.
  const count = () => {
    seq += 1
  }
  const stopListening = events.subscribe(
    (event) => {
      count()
      if (watchers.size > 0) send(frameOf(event, seq))
    },
    { isWatching: () => watchers.size > 0, skipped: count },
  )
  const heartbeat = setInterval(() => send(': heartbeat\n\n'), heartbeatMs).unref()
  const check = setInterval(() => {
    for (const { stream, isAllowed } of watchers) if (!isAllowed()) stream.finish()
  }, checkMs).unref()
  const finish = () => {
    isOver = true
    for (const { stream } of watchers) stream.finish()
  }
  return {
    watch(isAllowed) {
      if (watchers.size >= eventStreams.watchersMax) throw eventErrors.event_streams_exhausted()
      const watcher = { stream: new EventStream(), isAllowed }
      watchers.add(watcher)
      watcher.stream.once('close', () => watchers.delete(watcher))
      watcher.stream.offer(': connected\n\n')
      if (isOver) watcher.stream.finish()
      return watcher.stream
    },
    finish,
    [Symbol.dispose]() {
      clearInterval(heartbeat)
      clearInterval(check)
      stopListening()
      finish()
    },
  }
}

function frameOf({ topic, payload }: PublishedEvent, seq: number): string {
  return `event: ${topic}\nid: ${seq}\ndata: ${JSON.stringify({ seq, topic, ...payload }, writeBigint)}\n\n`
}

const writeBigint = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value)
