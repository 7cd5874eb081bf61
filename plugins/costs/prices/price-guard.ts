import { type Clock, clock, singleFlight, within } from '#kernel'
import { defineRouteGuard } from '#kernel/system'
import { type Funds, funds } from '#plugins/wallet'
import { priceListHeader } from '../cost/cost-api.ts'
import { costErrors } from '../errors.ts'

/** A node that answers later is one that does not answer. */
const pricesMs = 10_000
const reads: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Concurrent requests share one read of the chain. */
const readers = new WeakMap<Funds, () => Promise<string | undefined>>()

function currentFingerprint(funds: Funds, clock: Clock): Promise<string | undefined> {
  const read =
    readers.get(funds) ??
    singleFlight(async () => {
      // The prices of the moment, not those of some epochs ago.
      funds.forget()
      return (await within(pricesMs, funds.prices(), () => undefined, clock))?.fingerprint
    })
  readers.set(funds, read)
  return read()
}

/**
 * Refuses a change whose prices are not those that were shown, before its route runs. It holds for every route, so that a new action needs
 * nothing for it; without the header nothing is compared. A repeat of a recorded request, whose answer was lost, pays nothing and passes.
 */
export const priceGuard = defineRouteGuard({
  name: 'price-list',
  uses: { funds, clock },
  async check({ method, header }, { funds, clock }) {
    const shown = reads.has(method) ? undefined : header(priceListHeader)
    if (shown === undefined) return undefined
    const current = await currentFingerprint(funds, clock)
    if (current === undefined) return costErrors.prices_unreadable()
    return current === shown ? undefined : costErrors.price_list_changed()
  },
})
