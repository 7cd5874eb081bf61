/** What a raise costs. Amounts in 10^-18 USDFC. */
import type { CostPolicy, FundingView, PlannedAddition } from '#plugins/wallet'
import type { TargetGroup } from './below-target-store.ts'

/** Pieces of an addition while the limit of a provider is unknown. */
const piecesPerCall = 40

interface CurrentSet {
  readonly chainId: string | null
  readonly bytes: number
}

interface RaiseEstimate {
  readonly fee: bigint
  /** When each piece has a call of its own. */
  readonly feeMax: bigint
  readonly lock: bigint
  readonly ratePerEpoch: bigint
  readonly depositNeeded: bigint
}

/** Contents with a target of `n` have copies in the first `n` slots, and get one in each of the others. */
export function additionsOf(
  groups: readonly TargetGroup[],
  { copies, sets, hasCdn }: { readonly copies: number; readonly sets: readonly CurrentSet[]; readonly hasCdn: boolean },
  { billedBytes, leavesOf }: Pick<CostPolicy, 'billedBytes' | 'leavesOf'>,
): readonly (PlannedAddition & { readonly pieces: number })[] {
  return Array.from({ length: copies }, (_, slot) => {
    const added = groups.filter(({ targetCopies }) => targetCopies <= slot)
    const set = sets[slot]
    const leaves = leavesOf(BigInt(set?.bytes ?? 0))
    const currentBytes = billedBytes(leaves)
    return {
      isNewDataSet: set === undefined || set.chainId === null,
      hasCdn,
      currentBytes,
      addedBytes: billedBytes(leaves + added.reduce((sum, group) => sum + group.leaves, 0n)) - currentBytes,
      pieces: added.reduce((sum, { contents }) => sum + contents, 0),
    }
  }).filter(({ pieces }) => pieces > 0)
}

export function estimateRaise(
  additions: ReturnType<typeof additionsOf>,
  { account, prices }: Pick<FundingView, 'account' | 'prices'>,
  { estimateAdditions }: Pick<CostPolicy, 'estimateAdditions'>,
): RaiseEstimate {
  const inCalls = (perCall: number) => additions.map((addition) => ({ ...addition, calls: Math.ceil(addition.pieces / perCall) }))
  const cost = estimateAdditions(inCalls(piecesPerCall), prices, account)
  return {
    fee: cost.fees,
    feeMax: estimateAdditions(inCalls(1), prices, account).fees,
    lock: cost.lockup,
    ratePerEpoch: cost.rateIncreasePerEpoch,
    depositNeeded: cost.depositNeeded,
  }
}
