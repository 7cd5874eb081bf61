import { expect, test } from 'vitest'
import type { Database } from '#kernel'
import { createFakeClock, silentLog } from '#kernel/testing'
import { AccessLog } from './access-log.ts'

const startMs = 1_000_000
const longAgoMs = 0

/** An access log whose database counts the writes, and fails them while `isBroken`. */
function openLog() {
  const clock = createFakeClock(startMs)
  const disk = { isBroken: false, tries: 0, statements: 0, written: [] as unknown[] }
  const tx = {
    async run(
      _statement: unknown,
      { contentIds, timesMs }: { readonly contentIds: readonly number[]; readonly timesMs: readonly number[] },
    ) {
      disk.statements += 1
      disk.written.push(...contentIds.map((contentId, at) => [contentId, timesMs[at]]))
    },
  }
  const database = {
    write: async (job: (tx: unknown) => unknown) => {
      disk.tries += 1
      if (disk.isBroken) throw new Error('disk full')
      return job(tx)
    },
  }
  return { clock, disk, log: new AccessLog({ database: database as unknown as Database, clock, log: silentLog }) }
}

test('a read is known at once, and while and after it is written', async () => {
  const { clock, disk, log } = openLog()
  log.touch(1, longAgoMs)
  const knows = () => [log.wasReadSince(1, startMs), log.wasReadSince(1, startMs + 1), log.wasReadSince(2, 0)]
  expect(knows()).toEqual([true, false, false])
  const flush = log.flush()
  expect(knows()).toEqual([true, false, false])
  expect(await flush).toBe(true)
  expect(knows()).toEqual([true, false, false])
  expect(disk.written).toEqual([[1, clock.now()]])
  await log.close()
})

test('a time less than a minute newer than the stored one is known and not written', async () => {
  const { disk, log } = openLog()
  log.touch(1, startMs - 59_999)
  log.touch(2, startMs - 60_000)
  await log.close()
  expect(disk.written).toEqual([[2, startMs]])
})

test('times whose write fails are kept, and the log is incomplete until they are written', async () => {
  const { clock, disk, log } = openLog()
  disk.isBroken = true
  log.touch(1, longAgoMs)
  expect(await log.flush()).toBe(false)
  expect(log.isIncomplete).toBe(true)
  await clock.advance(15_000)
  expect(log.isIncomplete).toBe(true)
  disk.isBroken = false
  await clock.advance(15_000)
  expect(log.isIncomplete).toBe(false)
  expect(disk.written).toEqual([[1, startMs]])
  await log.close()
})

test('more reads than the log can hold make it incomplete until the next write, which happens at once', async () => {
  const { clock, disk, log } = openLog()
  for (let contentId = 1; contentId <= 10_001; contentId++) log.touch(contentId, longAgoMs)
  expect(log.isIncomplete).toBe(true)
  await clock.advance(0)
  expect(disk.written).toHaveLength(10_000)
  expect(log.isIncomplete).toBe(false)
  await log.close()
})

test('a write job of 500 times sends one statement', async () => {
  const { disk, log } = openLog()
  for (let contentId = 1; contentId <= 1001; contentId++) log.touch(contentId, longAgoMs)
  await log.flush()
  expect([disk.tries, disk.statements, disk.written.length]).toEqual([3, 3, 1001])
  await log.close()
})

test('while writes fail, many reads do not cause a retry before the flush interval', async () => {
  const { clock, disk, log } = openLog()
  disk.isBroken = true
  for (let contentId = 1; contentId <= 6000; contentId++) log.touch(contentId, longAgoMs)
  await clock.advance(0)
  expect(disk.tries).toBe(1)
  for (let contentId = 1; contentId <= 7000; contentId++) {
    log.touch(contentId, longAgoMs)
    if (contentId % 1000 === 0) await clock.advance(0)
  }
  expect(disk.tries).toBe(1)
  await clock.advance(15_000)
  expect(disk.tries).toBe(2)
  await log.close()
})
