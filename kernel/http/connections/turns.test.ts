import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { connectionLimits } from './connection-limits.ts'
import { Turns } from './turns.ts'

test('a few start in each turn of the event loop, in their order, also those that are added meanwhile', async () => {
  const turns = new Turns()
  const started: number[] = []
  const each = connectionLimits.unauthenticatedStartsPerTurn
  const add = (number: number) =>
    turns.take(() => {
      started.push(number)
      if (number === each) add(-1)
    })
  for (let number = 0; number < 3 * each; number++) add(number)
  expect(started.length).toBe(each)
  const counts: number[] = []
  for (let n = 0; n < 4; n++) {
    await turn()
    counts.push(started.length)
  }
  expect(counts).toEqual([2 * each, 3 * each, 3 * each + 1, 3 * each + 1])
  expect(started.at(-1)).toBe(-1)
})
