import { expect, test } from 'vitest'
import { chooseChallenge } from './choose-challenge.ts'

const window = { windowStart: 100n, windowSize: 10n, epoch: 89n, failures: 0 }

test('the challenge is early in its window, after the blocks in which its transaction is mined', () => {
  expect(chooseChallenge(window)).toBe(102n)
  expect(chooseChallenge({ ...window, epoch: 105n })).toBeGreaterThan(107n)
})

test('after each failure the challenge is later in the window', () => {
  const chosen = [1, 2, 3, 9].map((failures) => chooseChallenge({ ...window, failures }))
  expect(chosen).toEqual([104n, 108n, 110n, 110n])
})
