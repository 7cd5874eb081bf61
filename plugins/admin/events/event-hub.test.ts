import { once } from 'node:events'
import { expect, test } from 'vitest'
import { defineEvent, type Events } from '#kernel'
import type { PublishedEvent } from '#kernel/system'
import { createEventHub, eventStreams } from './event-hub.ts'
import type { EventStream } from './event-stream.ts'

const greeted = defineEvent<{ name: string; amount: bigint }>('greeted')

function fakeEvents(): Events {
  const listeners = new Map<(event: PublishedEvent) => void, Parameters<Events['subscribe']>[1]>()
  return {
    publish: ({ topic }, payload) => {
      for (const listener of listeners.keys()) listener({ topic, payload })
    },
    isWatched: () => [...listeners.values()].some((watching) => watching?.isWatching()),
    skip() {
      for (const watching of listeners.values()) watching?.skipped()
    },
    subscribe(listener, watching) {
      listeners.set(listener, watching)
      return () => void listeners.delete(listener)
    },
  }
}

function collect(stream: EventStream): string[] {
  const frames: string[] = []
  stream.setEncoding('utf8').on('data', (frame: string) => frames.push(frame))
  return frames
}

test('events are numbered over the whole process, and every watcher gets the same frame', async () => {
  const events = fakeEvents()
  using hub = createEventHub(events)
  events.publish(greeted, { name: 'without watchers', amount: 0n })
  const [first, second] = [collect(hub.watch(() => true)), collect(hub.watch(() => true))]
  events.publish(greeted, { name: 'a\nb', amount: 10n ** 20n })
  const frame = 'event: greeted\nid: 2\ndata: {"seq":2,"topic":"greeted","name":"a\\nb","amount":"100000000000000000000"}\n\n'
  await expect.poll(() => [first, second]).toEqual(Array(2).fill([': connected\n\n', frame]))
})

test('payloads are wanted while a client follows, and events without payloads are numbered too', async () => {
  const events = fakeEvents()
  using hub = createEventHub(events)
  expect(events.isWatched()).toBe(false)
  events.skip()
  const stream = hub.watch(() => true)
  expect(events.isWatched()).toBe(true)
  const frames = collect(stream)
  events.publish(greeted, { name: 'a', amount: 0n })
  await expect.poll(() => frames.at(-1)).toContain('id: 2\n')
})

test('an idle stream gets heartbeats', async () => {
  using hub = createEventHub(fakeEvents(), { ...eventStreams, heartbeatMs: 1 })
  const frames = collect(hub.watch(() => true))
  await expect.poll(() => frames.slice(0, 3)).toEqual([': connected\n\n', ': heartbeat\n\n', ': heartbeat\n\n'])
})

test('a stream ends before the next frame when its client is no longer allowed', async () => {
  const events = fakeEvents()
  using hub = createEventHub(events)
  let isAllowed = true
  const stream = hub.watch(() => isAllowed)
  const frames = collect(stream)
  isAllowed = false
  events.publish(greeted, { name: 'secret', amount: 0n })
  await expect.poll(() => stream.closed).toBe(true)
  expect(frames).toEqual([': connected\n\n'])
})

test('a stream ends without a further frame when its client is no longer allowed', async () => {
  using hub = createEventHub(fakeEvents(), { ...eventStreams, checkMs: 1 })
  let isAllowed = true
  const [ended, kept] = [hub.watch(() => isAllowed), hub.watch(() => true)]
  const frames = [collect(ended), collect(kept)]
  isAllowed = false
  await expect.poll(() => ended.closed).toBe(true)
  expect(kept.closed).toBe(false)
  expect(frames).toEqual([[': connected\n\n'], [': connected\n\n']])
})

test('the number of streams is limited, and a closed one frees its place', async () => {
  using hub = createEventHub(fakeEvents())
  const streams = Array.from({ length: eventStreams.watchersMax }, () => hub.watch(() => true))
  expect(() => hub.watch(() => true)).toThrow(expect.objectContaining({ code: 'event_streams_exhausted', status: 503 }))
  const [leaving = hub.watch(() => true)] = streams
  leaving.destroy()
  await once(leaving, 'close')
  hub.watch(() => true)
})
