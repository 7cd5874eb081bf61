import { expect, test } from 'vitest'
import { createFakeClock } from '#kernel/testing'
import { readPrices } from './read-prices.ts'

test('a view waits two seconds for the prices of a silent node, and goes on without them', async () => {
  const clock = createFakeClock()
  const prices = readPrices({ prices: () => new Promise<never>(() => {}) }, clock)
  await clock.advance(2000)
  expect(await prices).toBeUndefined()
})

test('prices are amounts, and none without a wallet', async () => {
  const clock = createFakeClock()
  expect(await readPrices({ prices: async () => ({ fingerprint: 'x', list: '{"addPiecesBaseFee":"8"}' }) }, clock)).toEqual({
    addPiecesBaseFee: 8n,
  })
  expect(await readPrices(undefined, clock)).toBeUndefined()
})
