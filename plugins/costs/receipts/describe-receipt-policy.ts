/** Receipts from the payments of a month. Amounts in 10^-18 USDFC. */
import type { BookedRail } from '../book/book-store.ts'
import type { Receipt, ReceiptLine } from './receipt-api.ts'
import type { FollowedMonth, MonthPayment } from './receipt-store.ts'

interface ReceiptFacts {
  readonly month: string
  readonly payer: string
  readonly bucket: { readonly id: number; readonly name: string } | undefined
  readonly payments: readonly MonthPayment[]
  readonly rails: readonly BookedRail[]
  readonly followed: FollowedMonth | undefined
  /** The month is over, and its last final epoch was followed. */
  readonly isOver: boolean
}

export function describeReceipt({ month, payer, bucket, payments, rails, followed, isOver }: ReceiptFacts): Receipt {
  const byId = new Map(rails.map((rail) => [rail.railId, rail]))
  const chosen = bucket ? payments.filter(({ railId }) => byId.get(railId)?.bucketId === bucket.id) : payments
  const sumOf = (kind: MonthPayment['kind']) => chosen.reduce((sum, payment) => (payment.kind === kind ? sum + payment.amount : sum), 0n)
  const [once, storage, unknown] = [sumOf('one_time'), sumOf('storage'), sumOf('unknown')]
  return {
    month,
    payer,
    ...(bucket ? { bucket: bucket.name } : {}),
    is_complete: isOver && followed?.startsWhole === true && !followed.hasGap,
    ...(followed ? { from_epoch: String(followed.fromEpoch), to_epoch: String(followed.toEpoch) } : {}),
    lines: chosen.map((payment) => toLine(payment, byId.get(payment.railId))),
    one_time: String(once),
    storage: String(storage),
    unattributed: String(unknown),
    total: String(once + storage + unknown),
  }
}

function toLine({ railId, kind, payments, amount }: MonthPayment, rail: BookedRail | undefined): ReceiptLine {
  const paid = { kind, payments, amount: String(amount) } as const
  if (railId === '') return { of: 'unattributed', ...paid }
  const places = {
    ...(rail?.providerId ? { provider_id: rail.providerId } : {}),
    ...(rail?.chainDataSetId ? { data_set_id: rail.chainDataSetId } : {}),
    rail_id: railId,
  }
  if (!rail || rail.kind === 'other' || rail.bucketId === null) return { of: 'foreign', ...places, ...paid }
  const bucket = { bucket_id: rail.bucketId, bucket: rail.bucket ?? '' }
  return { of: rail.isDeleted ? 'deleted_bucket' : 'bucket', ...bucket, ...places, ...paid }
}

const columns = ['month', 'of', 'bucket_id', 'bucket', 'provider_id', 'data_set_id', 'rail_id', 'kind', 'payments', 'amount'] as const

/** Lines of RFC 4180. Names of buckets and numbers need no quotes. */
export function toCsv({ month, lines }: Receipt): string {
  const rows = lines.map((line) => {
    const cells: Readonly<Record<string, string | number | undefined>> = { month, ...line }
    return columns.map((column) => cells[column] ?? '').join(',')
  })
  return `${[columns.join(','), ...rows].join('\r\n')}\r\n`
}
