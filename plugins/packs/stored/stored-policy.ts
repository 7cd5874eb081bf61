/** What it costs to pack contents that are stored as pieces of their own. Amounts in 10^-18 USDFC. */
import { removalsPerCallMax } from '#plugins/providers'
import type { PriceList } from '#plugins/wallet'
import type { SealLimits } from '../sealing/seal-policy.ts'
import { memberOverheadBytes } from '../segment/overhead-policy.ts'
import { savedFees } from './saving-policy.ts'

export interface StoredSum {
  readonly contents: number
  readonly bytes: number
  /** Highest target of copies of one of them. */
  readonly copies: number
}

interface PackingCosts {
  /** Fees of the packs, and of the removal of the single pieces. */
  readonly spent: bigint
  /** What each later copy of them costs less, such as when a provider is replaced. */
  readonly savedPerCopy: bigint
}

type Prices = Pick<PriceList, 'addPiecesBaseFee' | 'addPiecesPerPieceFee' | 'schedulePieceRemovalsFee'>

/** Packs that these contents fill. */
export function packsOf({ contents, bytes }: Pick<StoredSum, 'contents' | 'bytes'>, limits: Pick<SealLimits, 'bytes' | 'members'>): number {
  return Math.max(Math.ceil((bytes + contents * memberOverheadBytes) / limits.bytes), Math.ceil(contents / limits.members))
}

export function packingCosts(sum: StoredSum, packs: number, prices: Prices): PackingCosts {
  const { addPiecesBaseFee: call, addPiecesPerPieceFee: piece, schedulePieceRemovalsFee: removal } = prices
  const removals = BigInt(Math.ceil(sum.contents / removalsPerCallMax))
  // Packs are sealed one after the other, so each has a call of its own.
  const ofPacks = BigInt(packs) * (call + piece)
  return {
    spent: BigInt(sum.copies) * (ofPacks + removals * removal),
    savedPerCopy: savedFees({ ofObjects: sum.contents, ofPacks: packs }, prices),
  }
}

/** The first of these contents that have room in one pack, in their order. */
export function firstOfPack<T extends { readonly size: number }>(contents: readonly T[], bytesMax: number): readonly T[] {
  let bytes = 0
  const end = contents.findIndex(({ size }) => {
    bytes += size + memberOverheadBytes
    return bytes > bytesMax
  })
  return end === -1 ? contents : contents.slice(0, end)
}
