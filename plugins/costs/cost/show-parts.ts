/** Parts of answers that several endpoints share. */
import { formatTime } from '#kernel'
import type { PaidFees, SpendUse } from '#plugins/replication'
import type { CostPolicy, PriceList } from '#plugins/wallet'
import type { BookedRead } from '../book/book-store.ts'
import type { Cost } from './cost-api.ts'

/** A read is shown as fresh for some intervals of the task, also with thousands of data sets. */
const freshMs = 15 * 60_000

export function showReading({ readAtMs, account, failure }: BookedRead, nowMs: number) {
  const isFresh = readAtMs !== null && failure === null && Math.abs(nowMs - readAtMs) <= freshMs
  return {
    freshness: readAtMs === null ? 'unknown' : isFresh ? 'fresh' : 'stale',
    read_at: readAtMs === null ? null : formatTime(readAtMs),
    epoch: account ? String(account.epoch) : null,
    ...(failure === null ? {} : { failure }),
  } as const
}

export const showFees = ({ creations, additions, pieces, removals, terminations, total, callsWithoutPrice }: PaidFees) => ({
  create_data_sets: String(creations),
  addition_calls: String(additions),
  pieces: String(pieces),
  removals: String(removals),
  terminations: String(terminations),
  total: String(total),
  calls_without_price: callsWithoutPrice,
})

const daySeconds = 86_400

/** `seconds` undefined: the account was not read. */
export function showRunway(
  seconds: number | null | undefined,
  nowMs: number,
  { judgeRunway }: Pick<CostPolicy, 'judgeRunway'>,
): Cost['runway'] {
  if (seconds === undefined) return { seconds: null, days: null, level: 'unknown' }
  if (seconds === null) return { seconds: null, days: null, level: 'ok' }
  const endsAtMs = nowMs + seconds * 1000
  return {
    seconds,
    days: Math.floor(seconds / daySeconds),
    level: judgeRunway(seconds),
    // Later times cannot be written as RFC 3339.
    ...(endsAtMs < Date.UTC(9999, 11, 31) ? { funded_until: formatTime(endsAtMs) } : {}),
  }
}

export const showPrices = (prices: PriceList, fingerprint: string): NonNullable<Cost['prices']> => ({
  fingerprint,
  storage_per_tib_month: String(prices.storagePerTibPerMonth),
  data_set_month: String(prices.dataSetFeePerMonth),
  create_data_set: String(prices.createDataSetFee),
  addition_call: String(prices.addPiecesBaseFee),
  piece: String(prices.addPiecesPerPieceFee),
  removal_call: String(prices.schedulePieceRemovalsFee),
  termination: String(prices.terminateFee),
  reserve: String(prices.lifecycleReserveTarget),
  reserve_refill: String(prices.replenishThreshold),
  lockup_epochs: String(prices.lockupPeriodEpochs),
  cdn_lockup: String(prices.cdnLockup),
})

export function showLimit({ limit, fees, storage, endsAtMs }: SpendUse): Cost['limits']['daily'] {
  const used = storage === undefined ? undefined : fees + storage
  return {
    limit: limit === undefined ? null : String(limit),
    used: used === undefined ? null : String(used),
    fees: String(fees),
    storage: storage === undefined ? null : String(storage),
    resets_at: formatTime(endsAtMs),
    is_reached: limit !== undefined && used !== undefined && used >= limit,
  }
}
