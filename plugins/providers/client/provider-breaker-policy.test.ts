import { expect, test } from 'vitest'
import { afterNoAnswer, type Breaker, closedBreaker, judgeBreaker, unansweredUntilOpen } from './provider-breaker-policy.ts'

const pauses = { firstMs: 10, mostMs: 60 }
const unanswered = (times: number, nowMs: number, from: Breaker = closedBreaker) => {
  let breaker = from
  for (let time = 0; time < times; time++) breaker = afterNoAnswer(breaker, nowMs, pauses)
  return breaker
}
const verdict = (breaker: Breaker, nowMs: number) => judgeBreaker(breaker, nowMs, pauses)

test('the breaker opens after the third call without an answer in a row', () => {
  expect(verdict(unanswered(unansweredUntilOpen - 1, 100), 100)).toEqual({ kind: 'closed' })
  expect(verdict(unanswered(unansweredUntilOpen, 100), 100)).toEqual({ kind: 'open', untilMs: 110 })
})

test('calls that were running when it opened do not lengthen the pause', () => {
  expect(unanswered(10, 100)).toEqual(unanswered(unansweredUntilOpen, 100))
})

test('each probe without an answer doubles the pause, up to the longest', () => {
  let breaker = unanswered(unansweredUntilOpen, 0)
  const ends = [breaker.openUntilMs]
  for (let probe = 0; probe < 4; probe++) {
    expect(verdict(breaker, breaker.openUntilMs)).toEqual({ kind: 'probe' })
    breaker = unanswered(1, breaker.openUntilMs, breaker)
    ends.push(breaker.openUntilMs)
  }
  expect(ends).toEqual([10, 30, 70, 130, 190])
})

test('a clock that steps back does not keep it open', () => {
  expect(verdict(unanswered(unansweredUntilOpen, 1_000_000), 5)).toEqual({ kind: 'probe' })
})
