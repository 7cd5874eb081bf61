import { expect, test } from 'vitest'
import { allRows, createFakeClock, describeOnEngines, getRow } from '#kernel/testing'
import type { CopyCheckResult, CopyChecks, RemoteCopy } from '#plugins/replication'
import { observabilityMigrations } from '../migrations/all-migrations.ts'
import { sampleCopies, verifyShare } from './sample-copies.ts'
import { createSampleCounter } from './sample-metrics.ts'
import { isChosen, samplesPerRound } from './sample-size-policy.ts'
import { beginSampleRun, countSamples, failedSamples, lastSamples } from './sample-store.ts'

const schemas = [{ name: 'observability', migrations: observabilityMigrations }]
const { signal } = new AbortController()
const dayMs = 24 * 3_600_000

test('a round has its share of the day, and a chance for a fraction of a copy', () => {
  const day = { committed: 1_000_000, perMillionDaily: 1000, intervalMs: dayMs / 288 }
  expect(samplesPerRound({ ...day, random: 0.9 })).toBe(3)
  expect(samplesPerRound({ ...day, random: 0.4 })).toBe(4)
  expect(samplesPerRound({ committed: 100, perMillionDaily: 1000, intervalMs: 300_000, random: 0.0003 })).toBe(1)
  expect(samplesPerRound({ committed: 100, perMillionDaily: 1000, intervalMs: 300_000, random: 0.0004 })).toBe(0)
  expect([isChosen(10_000, 0.0099), isChosen(10_000, 0.01), isChosen(1_000_000, 0.999999)]).toEqual([true, false, true])
})

const copyOf = (copyId: number, length = 100): RemoteCopy => ({
  copyId,
  contentId: copyId,
  dataSetId: 1,
  providerId: '4',
  serviceUrl: 'http://p',
  pieceCid: `cid${copyId}`,
  length,
})

/** Copies 1 to `count`, of which some are in doubt and some damaged. */
function checksOf(
  count: number,
  more: { readonly doubted?: readonly number[]; readonly damaged?: readonly number[]; readonly length?: number } = {},
) {
  const checked: number[] = []
  const copies = Array.from({ length: count }, (_, index) => copyOf(index + 1, more.length))
  const checks: CopyChecks = {
    count: async () => count,
    draw: async (wanted) => copies.slice(0, wanted),
    page: async (after, limit) => copies.filter(({ copyId }) => copyId > after).slice(0, limit),
    due: async (limit) => copies.filter(({ copyId }) => more.doubted?.includes(copyId)).slice(0, limit),
    async check({ copyId, length }) {
      checked.push(copyId)
      const result: CopyCheckResult = more.damaged?.includes(copyId) ? 'wrong_bytes' : 'intact'
      return { result, bytes: length, ...(result === 'intact' ? {} : { message: 'other bytes' }) }
    },
  }
  return { checks, checked }
}

await describeOnEngines('samples of remote copies', ({ open }) => {
  test('copies in doubt are checked first, random ones within the bytes of a day', async () => {
    await using database = await open(schemas)
    const clock = createFakeClock()
    const counter = createSampleCounter()
    const { checks, checked } = checksOf(1000, { doubted: [900], damaged: [900], length: 400 })
    const limits = { perMillionDaily: 1_000_000, bytesDaily: 2000, intervalMs: dayMs }
    await sampleCopies({ database, clock, checks, counter }, limits, signal)
    expect(checked).toEqual([900, 1, 2, 3, 4, 5])
    await sampleCopies({ database, clock, checks, counter }, { ...limits, perMillionDaily: 0 }, signal)
    expect(checked.slice(6)).toEqual([900])
    expect(await countSamples(database.read, clock.now() - dayMs)).toEqual({
      copies: 7,
      bytes: 2800,
      intact: 5,
      missing: 0,
      wrong_bytes: 2,
      unreachable: 0,
    })
    expect((await failedSamples(database.read))[0]).toMatchObject({ copy_id: 900, result: 'wrong_bytes', message: 'other bytes' })
    expect([...(await lastSamples(database.read, [copyOf(1), copyOf(77)])).keys()]).toEqual([1])
    expect([counter.of('intact'), counter.of('wrong_bytes')]).toEqual([5, 2])
    // A day later the bytes are free again.
    await clock.advance(dayMs + 1)
    await sampleCopies({ database, clock, checks, counter }, limits, signal)
    expect(checked.slice(7)).toEqual([900, 1, 2, 3, 4, 5])
  })

  test('a provider that sends slowly or wrong bytes delays only its own copies, and uses its share of the bytes', async () => {
    await using database = await open(schemas)
    const clock = createFakeClock()
    const doubted = Array.from({ length: 9 }, (_, at) => ({ ...copyOf(at + 1, 300), providerId: at < 5 ? 'drips' : 'fast' }))
    const checked: number[] = []
    const slow = Promise.withResolvers<void>()
    const checks: CopyChecks = {
      ...checksOf(0).checks,
      due: async () => doubted,
      async check({ copyId, length, providerId }) {
        if (providerId === 'drips') await slow.promise
        checked.push(copyId)
        if (copyId === 9) slow.resolve()
        return { result: 'wrong_bytes', bytes: length }
      },
    }
    const deps = { database, clock, checks, counter: createSampleCounter() }
    const limits = { perMillionDaily: 0, bytesDaily: 1200, intervalMs: dayMs }
    await sampleCopies(deps, { ...limits, bytesDaily: 3000 }, signal)
    expect(checked.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(checked.slice(0, 4)).toEqual([6, 7, 8, 9])
    // The day is used up.
    await sampleCopies(deps, limits, signal)
    expect(checked.length).toBe(9)
    await clock.advance(dayMs + 1)
    await sampleCopies(deps, limits, signal)
    // Two copies of each provider are half of the bytes of a day.
    expect(checked.slice(9).toSorted((a, b) => a - b)).toEqual([1, 2, 6, 7])
  })

  test('a provider that does not answer is asked once in a round, and no check begins after the interval', async () => {
    await using database = await open(schemas)
    const clock = createFakeClock()
    const checked: number[] = []
    const doubted = [1, 2, 3].map((id) => ({ ...copyOf(id), providerId: 'dark' }))
    const checks: CopyChecks = {
      ...checksOf(5).checks,
      due: async () => [...doubted, copyOf(4), copyOf(5)],
      async check({ copyId, providerId }) {
        checked.push(copyId)
        if (copyId === 4) await clock.advance(1000)
        return { result: providerId === 'dark' ? 'unreachable' : 'intact', bytes: 0 }
      },
    }
    const limits = { perMillionDaily: 1_000_000, bytesDaily: 2000, intervalMs: 1000 }
    await sampleCopies({ database, clock, checks, counter: createSampleCounter() }, limits, signal)
    expect(checked).toEqual([1, 4])
  })

  test('a requested check goes through all copies, and continues after the last one when it was interrupted', async () => {
    await using database = await open(schemas)
    const clock = createFakeClock()
    const { checks, checked } = checksOf(450, { damaged: [7] })
    const stop = new AbortController()
    const stopping: CopyChecks = {
      ...checks,
      async check(copy, given) {
        if (copy.copyId === 300) stop.abort(new Error('stopping'))
        given.throwIfAborted()
        return checks.check(copy, given)
      },
    }
    const deps = { database, clock, counter: createSampleCounter() }
    await database.write((tx) => beginSampleRun(tx, { taskId: 5, perMillion: 1_000_000, planned: 450, nowMs: clock.now() }))
    await expect(verifyShare({ ...deps, checks: stopping }, 5, stop.signal)).rejects.toThrow('stopping')
    await verifyShare({ ...deps, checks }, 5, signal)
    expect(checked).toEqual(Array.from({ length: 450 }, (_, index) => index + 1))
    expect(await getRow(database.read, 'select copies, intact, wrong_bytes as wrong, finished_at as at from sample_runs')).toEqual({
      copies: 450,
      intact: 449,
      wrong: 1,
      at: clock.now(),
    })
    // The run of another task is not touched.
    await verifyShare({ ...deps, checks }, 6, signal)
    expect(await allRows(database.read, 'select task_id as id from sample_runs')).toEqual([{ id: 5 }])
  })
})
