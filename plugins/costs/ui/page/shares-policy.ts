/** The table of what costs how much. Pure; amounts are exact. */
import type { Cost } from '../runway-policy.ts'

export interface Share {
  readonly id: string
  readonly name: string
  /** What the row stands for; undefined: a bucket, which has a page. */
  readonly help?: string
  readonly perEpoch: bigint
  readonly perDay: bigint
  readonly perMonth: bigint
  readonly locked: bigint
  readonly dataSets: number | undefined
}

export const shareOrders = {
  month: (a: Share, b: Share) => compare(b.perMonth, a.perMonth) || compare(b.locked, a.locked),
  locked: (a: Share, b: Share) => compare(b.locked, a.locked) || compare(b.perMonth, a.perMonth),
  sets: (a: Share, b: Share) => (b.dataSets ?? 0) - (a.dataSets ?? 0),
  name: (a: Share, b: Share) => a.name.localeCompare(b.name, 'en'),
} as const

type ShareOrder = keyof typeof shareOrders

export const readOrder = (text: string): ShareOrder => (text in shareOrders ? (text as ShareOrder) : 'month')

/** The buckets in the given order, then what belongs to none of them. Together they are the rate of the account. */
export function toShares(cost: Cost, order: ShareOrder): readonly Share[] {
  const buckets = cost.buckets.map((bucket) => ({ ...toShare(bucket.name, bucket), dataSets: bucket.data_sets }))
  const { other_buckets: others, deleted_buckets: deleted, foreign } = cost
  return [
    ...buckets.sort(shareOrders[order]),
    ...(others.count > 0
      ? [{ ...toShare(`${others.count} other buckets`, others), id: ':others', help: 'The cheapest ones, which are not listed.' }]
      : []),
    ...(deleted.data_sets > 0
      ? [
          {
            ...toShare('Deleted buckets', deleted),
            id: ':deleted',
            dataSets: deleted.data_sets,
            help: 'Data sets of deleted buckets, which are paid until their service has ended.',
          },
        ]
      : []),
    ...(foreign.rails > 0
      ? [
          {
            ...toShare('Not of this gateway', foreign),
            id: ':foreign',
            help: 'Other services that the same wallet pays, and data sets that this gateway does not know.',
          },
        ]
      : []),
  ]
}

const toShare = (name: string, { rate, locked }: Pick<Cost['foreign'], 'rate' | 'locked'>): Share => ({
  id: name,
  name,
  perEpoch: BigInt(rate.per_epoch),
  perDay: BigInt(rate.per_day),
  perMonth: BigInt(rate.per_month),
  locked: BigInt(locked.reserve) + BigInt(locked.advance),
  dataSets: undefined,
})

type Sums = Pick<Share, 'perEpoch' | 'perDay' | 'perMonth' | 'locked'>

/** Sums of all rows, to compare with the account. */
export const sumShares = (shares: readonly Share[]): Sums =>
  shares.reduce(
    (sum, { perEpoch, perDay, perMonth, locked }) => ({
      perEpoch: sum.perEpoch + perEpoch,
      perDay: sum.perDay + perDay,
      perMonth: sum.perMonth + perMonth,
      locked: sum.locked + locked,
    }),
    { perEpoch: 0n, perDay: 0n, perMonth: 0n, locked: 0n },
  )

const compare = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0)
