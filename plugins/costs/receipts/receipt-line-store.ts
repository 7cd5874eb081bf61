/** Pages of the payments of a month, with the bucket and data set of each. */
import { sql } from 'kysely'
import type { Params, Reader } from '#kernel'
import { statement } from '../tables.ts'
import type { MonthPayment } from './receipt-store.ts'

/** A payment with the rail that it was made by. */
export interface BookedPayment extends MonthPayment {
  /** Null: no rail, or one that was not read yet. */
  readonly railKind: 'storage' | 'cdn' | 'other' | null
  readonly chainDataSetId: string | null
  readonly bucketId: number | null
  readonly bucket: string | null
  readonly isDeleted: boolean
  readonly providerId: string | null
}

/** Behind which payment a page begins. */
type LinePlace = Pick<BookedPayment, 'railId'> & { readonly kind: string }

export interface ReceiptFilter {
  readonly wallet: string
  readonly month: string
  /** Is undefined for all buckets. */
  readonly bucketId: number | undefined
}

interface PageParams {
  readonly wallet: string
  readonly month: string
  readonly afterRail: string
  readonly afterKind: string
  readonly limit: number
}

const page = statement((db, { wallet, month, afterRail, afterKind, limit }: Params<PageParams>) =>
  db
    .selectFrom('cost_payments as p')
    .leftJoin('cost_rails as r', (join) => join.onRef('r.wallet', '=', 'p.wallet').onRef('r.rail_id', '=', 'p.rail_id'))
    .select(['p.rail_id as railId', 'p.kind', 'p.payments', 'p.amount', 'r.kind as railKind', 'r.chain_data_set_id as chainDataSetId'])
    .select(['r.bucket_id as bucketId', 'r.bucket', 'r.is_deleted as isDeleted', 'r.provider_id as providerId'])
    .where('p.wallet', '=', wallet)
    .where('p.month', '=', month)
    .where('p.rail_id', '>=', afterRail)
    .where(({ or, eb }) => or([eb('p.rail_id', '>', afterRail), eb(sql<string>`p.kind`, '>', afterKind)]))
    .orderBy('p.rail_id')
    .orderBy('p.kind')
    .limit(limit),
)
const pageOfBucket = statement(
  (db, { wallet, month, afterRail, afterKind, limit, bucketId }: Params<PageParams & { readonly bucketId: number }>) =>
    db
      .selectFrom('cost_rails as r')
      .innerJoin('cost_payments as p', (join) => join.onRef('p.wallet', '=', 'r.wallet').onRef('p.rail_id', '=', 'r.rail_id'))
      .select(['p.rail_id as railId', 'p.kind', 'p.payments', 'p.amount', 'r.kind as railKind', 'r.chain_data_set_id as chainDataSetId'])
      .select(['r.bucket_id as bucketId', 'r.bucket', 'r.is_deleted as isDeleted', 'r.provider_id as providerId'])
      .where('r.bucket_id', '=', bucketId)
      .where('r.wallet', '=', wallet)
      .where('p.month', '=', month)
      .where('p.rail_id', '>=', afterRail)
      .where(({ or, eb }) => or([eb('p.rail_id', '>', afterRail), eb(sql<string>`p.kind`, '>', afterKind)]))
      .orderBy('p.rail_id')
      .orderBy('p.kind')
      .limit(limit),
)

const first: LinePlace = { railId: '', kind: '' }

/** Lists at most `limit` payments, by rail and kind. */
export async function paymentsAfter(
  read: Reader,
  { wallet, month, bucketId }: ReceiptFilter,
  after: LinePlace | undefined,
  limit: number,
): Promise<readonly BookedPayment[]> {
  const { railId: afterRail, kind: afterKind } = after ?? first
  const params = { wallet, month, afterRail, afterKind, limit }
  const rows = bucketId === undefined ? await read.all(page, params) : await read.all(pageOfBucket, { ...params, bucketId })
  return rows.map(({ amount, isDeleted, ...row }) => ({ ...row, amount: BigInt(amount), isDeleted: isDeleted === 1 }))
}

/** Payments of one statement. */
const rowsAtOnce = 1000

/** All payments, in pages: a receipt of many buckets is never in memory as a whole. */
export async function* paymentPages(read: Reader, filter: ReceiptFilter): AsyncGenerator<readonly BookedPayment[]> {
  let after: LinePlace | undefined
  do {
    const payments = await paymentsAfter(read, filter, after, rowsAtOnce)
    if (payments.length > 0) yield payments
    after = payments.length < rowsAtOnce ? undefined : payments.at(-1)
  } while (after)
}
