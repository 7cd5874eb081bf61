import { expect, test } from 'vitest'
import { ChainAnswerImplausible } from './chain-error.ts'
import { createEpochGuard, rejectionsMax } from './epoch-guard.ts'
import { epochToMs, resolveNetwork } from './networks.ts'

const calibration = await resolveNetwork({ network: 'calibration' })
const devnet = { ...calibration, name: 'devnet' as const }
const start = 3_000_000n

test('one future epoch does not make correct epochs be rejected', () => {
  const accept = createEpochGuard(calibration, () => epochToMs(calibration, start))
  expect([start, start + 2800n, start + 1n, start - 900n].map(accept)).toEqual([start, start + 2800n, start + 1n, start - 900n])
  // Epochs behind the clock by more than finality are always rejected.
  for (let attempt = 0; attempt < 2 * rejectionsMax; attempt++) expect(() => accept(start - 901n)).toThrow(ChainAnswerImplausible)
})

test('a future epoch accepted under a wrong clock is dropped when the clock is correct', () => {
  let nowMs = epochToMs(calibration, start + 2800n)
  const accept = createEpochGuard(calibration, () => nowMs)
  accept(start + 2800n)
  expect(() => accept(start)).toThrow(ChainAnswerImplausible)
  nowMs = epochToMs(calibration, start)
  expect(accept(start)).toBe(start)
})

test('a chain that halts for a day is accepted', () => {
  let nowMs = epochToMs(calibration, start)
  const accept = createEpochGuard(calibration, () => nowMs)
  accept(start)
  nowMs += 86_400_000
  expect(accept(start)).toBe(start)
})

test('without a clock, lower epochs are rejected a few times in a row and then accepted', () => {
  const accept = createEpochGuard(devnet, () => 0)
  accept(start + 2800n)
  for (const round of [rejectionsMax - 1, rejectionsMax]) {
    for (let refused = 0; refused < round; refused++) expect(() => accept(start)).toThrow(ChainAnswerImplausible)
    // A higher answer resets the count of rejections in the first round.
    if (round < rejectionsMax) accept(start + 2801n)
  }
  expect(accept(start)).toBe(start)
})
