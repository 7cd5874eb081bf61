import { createHash } from 'node:crypto'
import type { PriceList } from './cost-policy.ts'

export interface NamedPrices {
  /** Equal prices have equal fingerprints. */
  readonly fingerprint: string
  /** The prices as JSON, in 10^-18 USDFC and epochs. */
  readonly list: string
}

/** The prices by which a paid attempt is recorded. */
export function namePrices(prices: PriceList): NamedPrices {
  const list = JSON.stringify(prices, (_name, value) => (typeof value === 'bigint' ? String(value) : value))
  return { fingerprint: createHash('sha256').update(list).digest('hex').slice(0, 16), list }
}
