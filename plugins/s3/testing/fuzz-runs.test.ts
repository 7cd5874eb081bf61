import { asyncProperty, nat } from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { assertRuns } from './fuzz-runs.ts'

const slowMs = 50_000

beforeEach(() => {
  vi.stubEnv('SVC_FUZZ_FACTOR', undefined)
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

test('slow runs are all made', async () => {
  let runs = 0
  const property = asyncProperty(nat(), async () => {
    vi.setSystemTime(Date.now() + slowMs)
    runs += 1
  })
  await assertRuns(property, 20)
  expect(runs).toBe(20)
})

test('a failure is reported, and the search for a shorter case ends with its time', async () => {
  let failures = 0
  const property = asyncProperty(nat(), async (value) => {
    if (value < 2) return
    vi.setSystemTime(Date.now() + slowMs)
    failures += 1
    throw new Error('too large')
  })
  await expect(assertRuns(property, 100)).rejects.toThrow('Property failed')
  // The first failure, and the cases of 100 s.
  expect(failures).toBe(3)
})
