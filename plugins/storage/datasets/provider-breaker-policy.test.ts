import { expect, test } from 'vitest'
import { afterSilence, type Breaker, closedBreaker, judgeBreaker, silencesUntilOpen } from './provider-breaker-policy.ts'

const pauses = { firstMs: 10, mostMs: 60 }
const silent = (times: number, nowMs: number, from: Breaker = closedBreaker) => {
  let breaker = from
  for (let time = 0; time < times; time++) breaker = afterSilence(breaker, nowMs, pauses)
  return breaker
}
const verdict = (breaker: Breaker, nowMs: number) => judgeBreaker(breaker, nowMs, pauses)

test('it opens after the third silence in a row', () => {
  expect(verdict(silent(silencesUntilOpen - 1, 100), 100)).toEqual({ kind: 'closed' })
  expect(verdict(silent(silencesUntilOpen, 100), 100)).toEqual({ kind: 'open', untilMs: 110 })
})

test('calls that were under way when it opened do not lengthen the pause', () => {
  expect(silent(10, 100)).toEqual(silent(silencesUntilOpen, 100))
})

test('each probe without an answer doubles the pause, up to the longest', () => {
  let breaker = silent(silencesUntilOpen, 0)
  const ends = [breaker.openUntilMs]
  for (let probe = 0; probe < 4; probe++) {
    expect(verdict(breaker, breaker.openUntilMs)).toEqual({ kind: 'probe' })
    breaker = silent(1, breaker.openUntilMs, breaker)
    ends.push(breaker.openUntilMs)
  }
  expect(ends).toEqual([10, 30, 70, 130, 190])
})

test('a clock that is set back does not keep it open', () => {
  expect(verdict(silent(silencesUntilOpen, 1_000_000), 5)).toEqual({ kind: 'probe' })
})
