import { createHash } from 'node:crypto'
import type { PriceList } from '../chain/cost-policy.ts'
import type { NamedPrices } from '../contract.ts'

/** The prices by which a paid attempt is recorded. */
export function namePrices(prices: PriceList): NamedPrices {
  const list = JSON.stringify(prices, (_name, value) => (typeof value === 'bigint' ? String(value) : value))
  return { fingerprint: createHash('sha256').update(list).digest('hex').slice(0, 16), list }
}
