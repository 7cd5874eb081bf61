/** Sums of rates and locked amounts. Amounts in 10^-18 USDFC. */
import type { CostPolicy, SettledAccount } from '#plugins/wallet'
import type { BookedRail } from '../book/book-store.ts'

export interface CostSum {
  /** Per epoch. */
  readonly rate: bigint
  readonly reserve: bigint
  readonly advance: bigint
}

export function sumRails(rails: readonly CostSum[]): CostSum {
  let [rate, reserve, advance] = [0n, 0n, 0n]
  for (const rail of rails) [rate, reserve, advance] = [rate + rail.rate, reserve + rail.reserve, advance + rail.advance]
  return { rate, reserve, advance }
}

/** The rails by whom they are for. */
export function groupRails(rails: readonly BookedRail[]) {
  const buckets = new Map<number, { readonly bucketId: number; readonly name: string; readonly rails: BookedRail[] }>()
  const [deleted, foreign]: [BookedRail[], BookedRail[]] = [[], []]
  for (const rail of rails) {
    if (rail.kind === 'other' || rail.bucketId === null) foreign.push(rail)
    else if (rail.isDeleted) deleted.push(rail)
    else {
      const bucket = buckets.get(rail.bucketId) ?? { bucketId: rail.bucketId, name: rail.bucket ?? '', rails: [] }
      bucket.rails.push(rail)
      buckets.set(rail.bucketId, bucket)
    }
  }
  return { buckets: [...buckets.values()], deleted, foreign }
}

export const dataSetsOf = (rails: readonly BookedRail[]): number => new Set(rails.map(({ chainDataSetId }) => chainDataSetId)).size

/** Due to providers and not settled: what the account locks beside reserves and advances. */
export function accruedOf(
  { lockupCurrent, lockupRate, lockupLastSettledAt, epoch }: SettledAccount,
  { reserve, advance }: CostSum,
): bigint {
  const elapsed = epoch > lockupLastSettledAt ? epoch - lockupLastSettledAt : 0n
  const accrued = lockupCurrent + lockupRate * elapsed - reserve - advance
  return accrued > 0n ? accrued : 0n
}

export const showRate = (rate: bigint, { epochsPerDay, epochsPerMonth }: Pick<CostPolicy, 'epochsPerDay' | 'epochsPerMonth'>) => ({
  per_epoch: String(rate),
  per_day: String(rate * epochsPerDay),
  per_month: String(rate * epochsPerMonth),
})

export const showLocked = ({ reserve, advance }: CostSum) => ({ reserve: String(reserve), advance: String(advance) })
