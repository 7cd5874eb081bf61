import { expect, test } from 'vitest'
import { createFakeClock } from '#kernel/testing'
import { createSuspectCopies } from './suspect-copies.ts'

const copies = ['a', 'b', 'c'].map((serviceUrl, copyId) => ({ copyId, serviceUrl, pieceCid: 'piece' }))
const [a, b] = copies as [(typeof copies)[0], (typeof copies)[0]]

test('copies that failed come after the others, the latest failure last, for ten minutes', async () => {
  const clock = createFakeClock()
  const suspects = createSuspectCopies(clock)
  const order = () => suspects.trustedFirst(copies).map(({ serviceUrl }) => serviceUrl)
  expect(order()).toEqual(['a', 'b', 'c'])
  suspects.add(b)
  await clock.advance(1000)
  suspects.add(a)
  expect(order()).toEqual(['c', 'b', 'a'])
  await clock.advance(1000)
  suspects.add(b)
  expect(order()).toEqual(['c', 'a', 'b'])
  await clock.advance(10 * 60_000 - 500)
  expect(order()).toEqual(['a', 'c', 'b'])
})

test('a copy that its provider denies is reported once while it is suspect', async () => {
  const clock = createFakeClock()
  const denied: string[] = []
  const suspects = createSuspectCopies(clock, ({ copyId }, result) => denied.push(`${copyId} ${result}`))
  suspects.add(a, 'missing')
  suspects.add(a, 'missing')
  suspects.add(b)
  await clock.advance(11 * 60_000)
  suspects.add(a, 'wrong_bytes')
  expect(denied).toEqual(['0 missing', '0 wrong_bytes'])
})
