import { expect, test } from 'vitest'
import { allRows } from '#kernel/testing'
import { openStorageRows } from '../testing/storage-rows.ts'
import { createTestPipeline, testPrices } from '../testing/test-pipeline.ts'
import { writePriced } from './price-list-store.ts'

test('each price list is kept once, and its fingerprint is recorded with what is paid', async () => {
  await using rows = await openStorageRows()
  const deps = createTestPipeline(rows)
  const record = () => writePriced(deps, async (_tx, priceList) => priceList)
  expect([await record(), await record()]).toEqual(['today', 'today'])
  deps.world.prices = { fingerprint: 'tomorrow', list: '{"createDataSetFee":"1"}' }
  expect(await record()).toBe('tomorrow')
  deps.world.prices = undefined
  expect(await record()).toBeNull()
  expect(await allRows(rows.database.read, 'select fingerprint, prices from price_lists order by fingerprint')).toEqual([
    { fingerprint: 'today', prices: testPrices.list },
    { fingerprint: 'tomorrow', prices: '{"createDataSetFee":"1"}' },
  ])
})
