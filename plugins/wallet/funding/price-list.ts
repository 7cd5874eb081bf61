import { createHash } from 'node:crypto'
import type { PriceList } from '../chain/cost-policy.ts'
import type { NamedPrices } from '../contract.ts'

/** The prices by which a paid attempt is recorded. */
export function namePrices(prices: PriceList): NamedPrices {
  const list = JSON.stringify(prices, (_name, value) => (typeof value === 'bigint' ? String(value) : value))
  return { fingerprint: createHash('sha256').update(list).digest('hex').slice(0, 16), list }
}

/** The prices of a recorded list. */
export function parsePrices(list: string): PriceList {
  const texts = Object.entries(JSON.parse(list) as Record<string, string>)
  return Object.fromEntries(texts.map(([name, value]) => [name, BigInt(value)])) as unknown as PriceList
}
