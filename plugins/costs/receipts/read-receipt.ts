import type { Database } from '#kernel'
import { addToSums, describeReceipt, noSums } from './describe-receipt-policy.ts'
import type { Receipt } from './receipt-api.ts'
import { paymentPages, paymentsAfter, type ReceiptFilter } from './receipt-line-store.ts'
import { findFollowedMonth, hasLaterMonth } from './receipt-store.ts'

interface ReceiptRequest {
  readonly filter: ReceiptFilter
  readonly payer: string
  readonly bucket: { readonly name: string } | undefined
  /** The `next_after` of the page before. */
  readonly after: string | undefined
  /** Largest number of lines. */
  readonly limit: number
}

/** A page of a receipt and the sums of all its payments, of one state of the rows. */
export function readReceipt(
  database: Pick<Database, 'snapshot'>,
  { filter, payer, bucket, after, limit }: ReceiptRequest,
): Promise<Receipt> {
  const { wallet, month } = filter
  return database.snapshot(async (read) => {
    const found = await paymentsAfter(read, filter, parsePlace(after), limit + 1)
    const payments = found.slice(0, limit)
    const last = found.length > limit ? payments.at(-1) : undefined
    let sums = noSums
    for await (const page of paymentPages(read, filter)) sums = addToSums(sums, page)
    return describeReceipt({
      month,
      payer,
      bucket,
      sums,
      payments,
      next: last && `${last.railId} ${last.kind}`,
      followed: await findFollowedMonth(read, wallet, month),
      isOver: await hasLaterMonth(read, wallet, month),
    })
  })
}

function parsePlace(after: string | undefined) {
  if (after === undefined) return undefined
  const [railId = '', kind = ''] = after.split(' ', 2)
  return { railId, kind }
}
