import { expect, test } from 'vitest'
import { createFakeClock } from '#kernel/testing'
import { createCopyDoubts } from './copy-doubts.ts'

const copies = ['a', 'b', 'c'].map((serviceUrl) => ({ serviceUrl, pieceCid: 'piece' }))
const [a, b] = copies as [(typeof copies)[0], (typeof copies)[0]]

test('copies that failed are asked after the others, the one that failed last at the end, until ten minutes have passed', async () => {
  const clock = createFakeClock()
  const doubts = createCopyDoubts(clock)
  const order = () => doubts.trustedFirst(copies).map(({ serviceUrl }) => serviceUrl)
  expect(order()).toEqual(['a', 'b', 'c'])
  doubts.raise(b)
  await clock.advance(1000)
  doubts.raise(a)
  expect(order()).toEqual(['c', 'b', 'a'])
  await clock.advance(1000)
  doubts.raise(b)
  expect(order()).toEqual(['c', 'a', 'b'])
  await clock.advance(10 * 60_000 - 500)
  expect(order()).toEqual(['a', 'c', 'b'])
})
