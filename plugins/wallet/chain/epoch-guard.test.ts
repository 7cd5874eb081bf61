import { expect, test } from 'vitest'
import { ChainAnswerImplausible } from './chain-error.ts'
import { createEpochGuard, refusalsMax } from './epoch-guard.ts'
import { epochToMs, resolveNetwork } from './networks.ts'

const calibration = await resolveNetwork({ network: 'calibration' })
const devnet = { ...calibration, name: 'devnet' as const }
const start = 3_000_000n

test('one epoch from the future does not lead to refusing the true ones', () => {
  const accept = createEpochGuard(calibration, () => epochToMs(calibration, start))
  expect([start, start + 2800n, start + 1n, start - 900n].map(accept)).toEqual([start, start + 2800n, start + 1n, start - 900n])
  // What lies behind the clock by more than finality is refused still, however often it is said.
  for (let told = 0; told < 2 * refusalsMax; told++) expect(() => accept(start - 901n)).toThrow(ChainAnswerImplausible)
})

test('an epoch from the future that a wrong clock let pass is forgotten once the clock is right', () => {
  let nowMs = epochToMs(calibration, start + 2800n)
  const accept = createEpochGuard(calibration, () => nowMs)
  accept(start + 2800n)
  expect(() => accept(start)).toThrow(ChainAnswerImplausible)
  nowMs = epochToMs(calibration, start)
  expect(accept(start)).toBe(start)
})

test('a chain that stands still for a day is believed', () => {
  let nowMs = epochToMs(calibration, start)
  const accept = createEpochGuard(calibration, () => nowMs)
  accept(start)
  nowMs += 86_400_000
  expect(accept(start)).toBe(start)
})

test('without a clock, lower epochs are refused a few times in a row and then believed', () => {
  const accept = createEpochGuard(devnet, () => 0)
  accept(start + 2800n)
  for (const round of [refusalsMax - 1, refusalsMax]) {
    for (let refused = 0; refused < round; refused++) expect(() => accept(start)).toThrow(ChainAnswerImplausible)
    // The first time, an answer as high as before says that the lower ones were wrong.
    if (round < refusalsMax) accept(start + 2801n)
  }
  expect(accept(start)).toBe(start)
})
