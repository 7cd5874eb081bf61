import { database, defineMetric } from '#kernel'
import { paidWork } from '#plugins/replication'
import { costBook } from '../contract.ts'
import { sumSettled } from '../receipts/receipt-store.ts'

/** Metrics are floating-point numbers by their format; nothing is computed with them here. */
const toUsdfc = (amount: bigint, { formatUsdfc }: { readonly formatUsdfc: (amount: bigint) => string }) => Number(formatUsdfc(amount))

export const costMetrics = [
  defineMetric({
    name: 'svc_wallet_runway_seconds',
    help: 'Seconds until the deposit is used up at the current rate. Absent without running costs, and before the account was read.',
    type: 'gauge',
    labels: [],
    series: [{ name: 'wallet_runway', label: 'Wallet runway', unit: 'seconds' }],
    uses: { book: costBook },
    async collect({ book }) {
      const seconds = (await book.book()).known?.runwaySeconds
      return typeof seconds === 'number' ? [{ labels: {}, value: seconds }] : []
    },
  }),
  defineMetric({
    name: 'svc_wallet_available_usdfc',
    help: 'USDFC of the deposit that are neither locked nor owed.',
    type: 'gauge',
    labels: [],
    series: [{ name: 'wallet_available', label: 'Available deposit', unit: 'usdfc' }],
    uses: { book: costBook },
    async collect({ book }) {
      const { known } = await book.book()
      return known ? [{ labels: {}, value: toUsdfc(known.account.available, await book.policy()) }] : []
    },
  }),
  defineMetric({
    name: 'svc_spending_usdfc_total',
    help: 'USDFC paid, by kind: fees of the calls that the chain has, and settled storage; counted at most every 30 seconds.',
    type: 'counter',
    labels: ['kind'],
    series: [{ name: 'spending', label: 'Spending', unit: 'usdfc' }],
    uses: { book: costBook, paidWork, database },
    keepMs: 30_000,
    async collect({ book, paidWork, database }) {
      const [policy, fees, storage] = await Promise.all([book.policy(), paidWork.fees(), sumSettled(database.read, book.wallet)])
      const kinds = {
        create_data_sets: fees.creations,
        addition_calls: fees.additions,
        pieces: fees.pieces,
        removals: fees.removals,
        terminations: fees.terminations,
        storage,
      }
      return Object.entries(kinds).map(([kind, amount]) => ({ labels: { kind }, value: toUsdfc(amount, policy) }))
    },
  }),
]
