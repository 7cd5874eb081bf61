import { expect, test } from 'vitest'
import { createFakeClock } from '#kernel/testing'
import { createUploadMeter } from './upload-meter.ts'

test('the meter knows when bytes were last sent, also after the upload ended', async () => {
  const clock = createFakeClock(1000)
  const meter = createUploadMeter(clock)
  meter.begin(1, { attempt: 1, totalBytes: 100 })
  expect(meter.lastMovedMs()).toBeUndefined()
  await clock.advance(10)
  meter.set(1, 50)
  await clock.advance(10)
  meter.end(1, { isDone: false })
  expect(meter.lastMovedMs()).toBe(1010)
  meter.moved()
  expect(meter.lastMovedMs()).toBe(1020)
})
