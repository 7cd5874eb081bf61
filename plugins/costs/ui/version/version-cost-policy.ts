/** What the copies of one object version cost: the share of their bytes in the rates of their data sets. Pure, in base units of USDFC. */
import type { Answer } from '@svc/ui-kit'

type BucketCost = Answer<'GET /buckets/:name/cost'>

export interface StoredPiece {
  readonly copy_index: number
  readonly local_data_set_id: number
  readonly size: number
  readonly status: string
  readonly committed_at?: string | undefined
}

interface CopyCost {
  readonly copyIndex: number
  readonly perMonth: bigint
  /** Since each piece was stored, at the present rate. */
  readonly soFar: bigint
}

interface VersionCost {
  readonly copies: readonly CopyCost[]
  readonly perMonth: bigint
  readonly soFar: bigint
  /** Stored pieces on data sets whose rate was not read yet: they are in no amount. */
  readonly unread: number
}

/** 86,400 epochs, as in the price list. */
const monthMs = 30n * 24n * 3_600_000n

/** A padded piece of a small object is billed as more than its bytes: its share is never above the whole rate. */
function shareOf(size: number, { rate, billed_bytes }: BucketCost['data_sets'][number]): bigint | undefined {
  const billed = BigInt(billed_bytes ?? '0')
  if (billed === 0n) return undefined
  const bytes = BigInt(size) > billed ? billed : BigInt(size)
  return (BigInt(rate.per_month) * bytes) / billed
}

export function costOf(pieces: readonly StoredPiece[], { data_sets }: Pick<BucketCost, 'data_sets'>, nowMs: number): VersionCost {
  const rates = new Map(data_sets.map((set) => [set.id, set]))
  const byCopy = new Map<number, CopyCost>()
  let unread = 0
  for (const { copy_index, local_data_set_id, size, status, committed_at } of pieces) {
    if (status !== 'committed') continue
    const set = rates.get(local_data_set_id)
    const perMonth = set && shareOf(size, set)
    if (perMonth === undefined) {
      unread += 1
      continue
    }
    const storedMs = BigInt(committed_at === undefined ? 0 : Math.max(0, nowMs - Date.parse(committed_at)))
    const known = byCopy.get(copy_index) ?? { copyIndex: copy_index, perMonth: 0n, soFar: 0n }
    byCopy.set(copy_index, { ...known, perMonth: known.perMonth + perMonth, soFar: known.soFar + (perMonth * storedMs) / monthMs })
  }
  const copies = [...byCopy.values()].sort((a, b) => a.copyIndex - b.copyIndex)
  const sum = (of: 'perMonth' | 'soFar') => copies.reduce((total, copy) => total + copy[of], 0n)
  return { copies, perMonth: sum('perMonth'), soFar: sum('soFar'), unread }
}
