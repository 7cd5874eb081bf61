import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPacedReader } from './paced-reader.ts'

const pauseMs = 10_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A reader whose reads end when the test says so. */
function start() {
  const reads: { readonly signal: AbortSignal; readonly end: () => Promise<void> }[] = []
  const reader = createPacedReader(pauseMs, (signal) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    reads.push({
      signal,
      end: async () => {
        resolve()
        await vi.advanceTimersByTimeAsync(0)
      },
    })
    return promise
  })
  return { reader, reads }
}

test('the first change is read at once, and changes during the read and the pause cause one more read', async () => {
  const { reader, reads } = start()
  reader.notify()
  expect(reads).toHaveLength(1)
  for (let at = 0; at < 3; at += 1) reader.notify()
  expect([reads.length, reads[0]?.signal.aborted]).toEqual([1, false])
  await reads[0]?.end()
  reader.notify()
  await vi.advanceTimersByTimeAsync(pauseMs - 1)
  expect(reads).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(reads).toHaveLength(2)
  await reads[1]?.end()
  await vi.advanceTimersByTimeAsync(pauseMs)
  expect(reads).toHaveLength(2)
})

test('a clock that steps back by an hour does not lengthen the pause', async () => {
  const { reader, reads } = start()
  reader.notify()
  await reads[0]?.end()
  vi.setSystemTime(Date.now() - 3_600_000)
  reader.notify()
  await vi.advanceTimersByTimeAsync(pauseMs)
  expect(reads).toHaveLength(2)
})

test('after the pause, the next change is read at once', async () => {
  const { reader, reads } = start()
  reader.notify()
  await reads[0]?.end()
  await vi.advanceTimersByTimeAsync(pauseMs)
  reader.notify()
  expect(reads).toHaveLength(2)
})

test('a stop aborts the running read, and nothing is read afterwards', async () => {
  const { reader, reads } = start()
  reader.notify()
  reader.notify()
  reader.stop()
  expect(reads[0]?.signal.aborted).toBe(true)
  await reads[0]?.end()
  reader.notify()
  await vi.advanceTimersByTimeAsync(pauseMs)
  expect(reads).toHaveLength(1)
})
