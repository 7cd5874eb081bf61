/** Estimates and the guard of prices in place of the plugin costs. */
import { adminRoutes, defineErrors, definePlugin, defineRoutes, type Plugin } from '#kernel'
import { defineRouteGuard, routeGuards } from '#kernel/system'
import type { CostEstimateAnswer } from '#plugins/costs'

interface FakeCosts {
  readonly plugin: Plugin
  /** Price lists that changes named. */
  readonly lists: string[]
  /** What is answered now; its fingerprint is the one that changes must name. */
  estimate: CostEstimateAnswer
}

const errors = defineErrors({
  price_list_changed: { status: 409, message: 'The prices have changed since they were shown; nothing was done.' },
})

export function fakeCosts(): FakeCosts {
  const costs: { estimate: CostEstimateAnswer; readonly lists: string[] } = { estimate: estimate(), lists: [] }
  const estimates = defineRoutes({
    name: 'estimates',
    uses: {},
    register: (app) => void app.post('/api/v1/cost/estimate', async () => costs.estimate),
  })
  const guard = defineRouteGuard({
    name: 'price-list',
    uses: {},
    async check({ header }) {
      const list = header('svc-price-list')
      if (list === undefined) return
      costs.lists.push(list)
      if (list !== costs.estimate.price_fingerprint) throw errors.price_list_changed()
    },
  })
  const plugin = definePlugin({ id: 'costs', contributes: [adminRoutes.with(estimates), routeGuards.with(guard)] })
  return Object.assign(costs, { plugin })
}

const milli = 10n ** 15n
const runway = (days: number) => ({ seconds: days * 86_400, days, level: 'ok' as const })
const rate = (perMonth: bigint) => ({ per_epoch: '1', per_day: '2', per_month: String(perMonth * milli) })

/** A service of 0.12 USDFC a month takes the place of one of 0.125 USDFC. */
export const estimate = (changes: Partial<CostEstimateAnswer> = {}): CostEstimateAnswer => ({
  kind: 'replacement',
  price_fingerprint: 'a'.repeat(16),
  fee: String(42n * milli),
  fee_max: String(50n * milli),
  lock: String(620n * milli),
  rate: rate(120n),
  runway_before: runway(90),
  runway_after: runway(70),
  deposit_needed: '0',
  deposit_for_90_days: '0',
  replaced: {
    rate: rate(125n),
    locked: { reserve: '1', advance: '1' },
    paid_epochs_after_end: '86400',
    paid_days_after_end: 30,
    runway_after_end: runway(91),
  },
  basis: { data_sets: 1, pieces: '1', pieces_per_call: 40, billed_bytes: '1' },
  ...changes,
})
