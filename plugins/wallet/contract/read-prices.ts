import { type Clock, within } from '#kernel'
import type { PriceList } from '../chain/cost-policy.ts'
import type { Funds } from './services.ts'

/** A node that answers later does not delay a view, which then has no prices. */
const viewMs = 2000

/** The price list of the chain; undefined while it cannot be read. `ms`: how long to wait for it. */
export async function readPrices(
  funds: Pick<Funds, 'prices'> | undefined,
  clock: Pick<Clock, 'sleep'>,
  ms = viewMs,
): Promise<PriceList | undefined> {
  const named = funds && (await within(ms, funds.prices(), () => undefined, clock))
  return named && (await import('../funding/price-list.ts')).parsePrices(named.list)
}
