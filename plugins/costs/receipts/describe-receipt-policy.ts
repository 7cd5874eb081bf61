/** Receipts from the payments of a month. Amounts in 10^-18 USDFC. */
import type { Receipt, ReceiptLine } from './receipt-api.ts'
import type { BookedPayment } from './receipt-line-store.ts'
import type { FollowedMonth, MonthPayment } from './receipt-store.ts'

type ReceiptSums = Readonly<Record<MonthPayment['kind'], bigint>>
export const noSums: ReceiptSums = { one_time: 0n, storage: 0n, unknown: 0n }

export function addToSums(sums: ReceiptSums, payments: readonly Pick<MonthPayment, 'kind' | 'amount'>[]): ReceiptSums {
  const added = { ...sums }
  for (const { kind, amount } of payments) added[kind] += amount
  return added
}

interface ReceiptFacts {
  readonly month: string
  readonly payer: string
  readonly bucket: { readonly name: string } | undefined
  /** Sums of all payments, also of those on other pages. */
  readonly sums: ReceiptSums
  /** One page of them. */
  readonly payments: readonly BookedPayment[]
  /** Name of the next page. */
  readonly next: string | undefined
  readonly followed: FollowedMonth | undefined
  /** The month is over, and its last final epoch was followed. */
  readonly isOver: boolean
}

export function describeReceipt({ month, payer, bucket, sums, payments, next, followed, isOver }: ReceiptFacts): Receipt {
  return {
    month,
    payer,
    ...(bucket ? { bucket: bucket.name } : {}),
    is_complete: isOver && followed?.startsWhole === true && !followed.hasGap,
    ...(followed ? { from_epoch: String(followed.fromEpoch), to_epoch: String(followed.toEpoch) } : {}),
    lines: payments.map(toLine),
    ...(next === undefined ? {} : { next_after: next }),
    one_time: String(sums.one_time),
    storage: String(sums.storage),
    unattributed: String(sums.unknown),
    total: String(sums.one_time + sums.storage + sums.unknown),
  }
}

function toLine({ railId, kind, payments, amount, ...rail }: BookedPayment): ReceiptLine {
  const paid = { kind, payments, amount: String(amount) } as const
  if (railId === '') return { of: 'unattributed', ...paid }
  const places = {
    ...(rail.providerId ? { provider_id: rail.providerId } : {}),
    ...(rail.chainDataSetId ? { data_set_id: rail.chainDataSetId } : {}),
    rail_id: railId,
  }
  if (rail.railKind === null || rail.railKind === 'other' || rail.bucketId === null) return { of: 'foreign', ...places, ...paid }
  const bucket = { bucket_id: rail.bucketId, bucket: rail.bucket ?? '' }
  return { of: rail.isDeleted ? 'deleted_bucket' : 'bucket', ...bucket, ...places, ...paid }
}

const columns = ['month', 'of', 'bucket_id', 'bucket', 'provider_id', 'data_set_id', 'rail_id', 'kind', 'payments', 'amount'] as const

/** Lines of RFC 4180, without names. Names of buckets and numbers need no quotes. */
const toRows = (month: string, lines: readonly ReceiptLine[]): string =>
  lines
    .map((line) => {
      const cells: Readonly<Record<string, string | number | undefined>> = { month, ...line }
      return `${columns.map((column) => cells[column] ?? '').join(',')}\r\n`
    })
    .join('')

const names = `${columns.join(',')}\r\n`

export const toCsv = ({ month, lines }: Pick<Receipt, 'month' | 'lines'>): string => names + toRows(month, lines)

/** The same, page by page. */
export async function* streamCsv(month: string, pages: AsyncIterable<readonly BookedPayment[]>): AsyncGenerator<string> {
  yield names
  for await (const payments of pages) yield toRows(month, payments.map(toLine))
}
