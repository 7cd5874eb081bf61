import { expect, test } from 'vitest'
import { createFakeClock } from '#kernel/testing'
import type { Funds } from '#plugins/wallet'
import { priceListHeader } from '../cost/cost-api.ts'
import { priceGuard } from './price-guard.ts'

function guarded(prices: Funds['prices']) {
  const clock = createFakeClock()
  let reads = 0
  let forgotten = 0
  const counted = () => {
    reads++
    return prices()
  }
  const funds = { forget: () => void forgotten++, prices: counted } as unknown as Funds
  const check = async (method: string, shown?: string) => {
    const header = (name: string) => (name === priceListHeader ? shown : undefined)
    return priceGuard.check({ method, header } as unknown as Parameters<typeof priceGuard.check>[0], { funds, clock })
  }
  return { clock, check, reads: () => reads, forgotten: () => forgotten }
}

const today = async () => ({ fingerprint: 'today', list: '{}' })

test('the prices of the moment are compared, and other prices refuse the request', async () => {
  const { check, forgotten } = guarded(today)
  expect(await check('POST', 'today')).toBeUndefined()
  expect(await check('PUT', 'yesterday')).toMatchObject({ status: 409, code: 'price_list_changed' })
  expect(forgotten()).toBe(2)
})

test('requests that show something, or name no prices, ask no chain', async () => {
  const { check, reads } = guarded(today)
  await check('GET', 'yesterday')
  await check('POST')
  expect(reads()).toBe(0)
})

test('twenty requests at the same time share one read', async () => {
  const { check, reads } = guarded(today)
  await Promise.all(Array.from({ length: 20 }, () => check('POST', 'today')))
  expect(reads()).toBe(1)
})

test('a node that does not answer in time refuses the request, because the prices cannot be compared', async () => {
  const { check, clock } = guarded(() => new Promise(() => {}))
  const refusal = check('POST', 'today')
  await clock.advance(10_000)
  expect(await refusal).toMatchObject({ status: 503, code: 'prices_unreadable' })
  expect(await guarded(async () => undefined).check('POST', 'today')).toMatchObject({ code: 'prices_unreadable' })
})
