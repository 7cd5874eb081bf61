import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { forgetAnswers, observeQuery } from './cache.ts'
import { connectTopics, startEvents, stopEvents } from './events.ts'
import { stubService } from './testing/service.ts'

let stream: EventTarget

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' }))
  vi.stubGlobal(
    'EventSource',
    class extends EventTarget {
      constructor() {
        super()
        stream = this
      }
      close(): void {}
    },
  )
})
afterEach(() => {
  stopEvents()
  forgetAnswers()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('an event about one version asks again for the copies of this version alone, and for every list', async () => {
  const { requests, routes } = stubService()
  const leaves = [
    observeQuery('GET /list', {}, () => {}),
    ...['v1', 'v2', 'v3'].map((version_id) => observeQuery('GET /copies', { query: { version_id } }, () => {})),
  ]
  for (const request of requests) await request.answer({})
  connectTopics({ one_changed: ['GET /list', { route: 'GET /copies', by: 'version_id' }] })
  startEvents()
  stream.dispatchEvent(new MessageEvent('one_changed', { data: JSON.stringify({ version_id: 'v2' }) }))
  await vi.advanceTimersByTimeAsync(250)
  expect(routes().slice(4)).toEqual(['GET /list', 'GET /copies?version_id=v2'])
  for (const leave of leaves) leave()
})
