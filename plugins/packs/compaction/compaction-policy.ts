/** Whether it pays to replace packs by one without their dead bytes. Amounts in 10^-18 USDFC. */
import type { PriceList } from '#plugins/wallet'
import { memberOverheadBytes } from '../segment/overhead-policy.ts'

export interface CompactablePack {
  readonly id: number
  readonly size: number
  readonly members: number
  readonly livingBytes: number
  readonly targetCopies: number
  /** An operator wants it, whether it pays or not. */
  readonly isAsked: boolean
}

interface CompactionQuestion {
  readonly packs: readonly CompactablePack[]
  /** Is undefined while they cannot be read: then only what an operator asked for is replaced. */
  readonly prices:
    | Pick<PriceList, 'storagePerTibPerMonth' | 'addPiecesBaseFee' | 'addPiecesPerPieceFee' | 'schedulePieceRemovalsFee'>
    | undefined
  /** Months in which the replacement must pay; 0: it never does. */
  readonly months: number
  /** Limits of the new pack; its bytes without its header and footer. */
  readonly bytesMax: number
  readonly membersMax: number
}

const tibBytes = 1n << 40n

/** Bytes of a pack that are neither its members nor the format. */
export const deadBytesOf = ({ size, members, livingBytes }: Pick<CompactablePack, 'size' | 'members' | 'livingBytes'>): number =>
  Math.max(0, size - livingBytes - members * memberOverheadBytes - 256)

/** What the dead bytes cost in these months, and what the replacement of these packs by one costs at once. */
export function compactionCosts(
  packs: readonly CompactablePack[],
  { prices, months }: { readonly prices: NonNullable<CompactionQuestion['prices']>; readonly months: number },
): { readonly saved: bigint; readonly fees: bigint } {
  const copies = BigInt(Math.max(0, ...packs.map(({ targetCopies }) => targetCopies)))
  const dead = packs.reduce((sum, pack) => sum + BigInt(deadBytesOf(pack)) * BigInt(pack.targetCopies), 0n)
  return {
    saved: (dead * prices.storagePerTibPerMonth * BigInt(months)) / tibBytes,
    fees: copies * (prices.addPiecesBaseFee + prices.addPiecesPerPieceFee + prices.schedulePieceRemovalsFee),
  }
}

/** The packs of a bucket that are replaced by one now; none when it does not pay. */
export function decideCompaction({ packs, prices, months, ...limits }: CompactionQuestion): readonly CompactablePack[] {
  const asked = fill(
    packs.filter(({ isAsked }) => isAsked),
    limits,
  )
  if (asked.length > 0) return asked
  if (!prices || months === 0) return []
  const byDeadShare = packs.toSorted((a, b) => deadBytesOf(b) / b.size - deadBytesOf(a) / a.size)
  const chosen = fill(
    byDeadShare.filter((pack) => deadBytesOf(pack) > 0),
    limits,
  )
  const { saved, fees } = compactionCosts(chosen, { prices, months })
  return saved > fees ? chosen : []
}

/** Returns as many packs as have room in one, in their order; a pack alone always has. */
function fill(packs: readonly CompactablePack[], { bytesMax, membersMax }: Pick<CompactionQuestion, 'bytesMax' | 'membersMax'>) {
  const chosen: CompactablePack[] = []
  let [bytes, members] = [0, 0]
  for (const pack of packs) {
    bytes += pack.livingBytes + pack.members * memberOverheadBytes
    members += pack.members
    if (chosen.length > 0 && (bytes > bytesMax || members > membersMax)) break
    chosen.push(pack)
  }
  return chosen
}
