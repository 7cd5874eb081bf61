/** What packing saves. Amounts in 10^-18 USDFC. */
import type { PriceList } from '#plugins/wallet'

type Prices = Pick<PriceList, 'addPiecesBaseFee' | 'addPiecesPerPieceFee'>

/** Pieces that share a call at an unknown provider. */
const piecesPerCall = 40n

/** Copies of objects, and the copies of packs that have or would have them. */
export interface PackedCopies {
  readonly ofObjects: number
  readonly ofPacks: number
}

/** What single pieces of these objects would cost more than the packs, which have calls of their own. */
export function savedFees({ ofObjects, ofPacks }: PackedCopies, { addPiecesBaseFee: call, addPiecesPerPieceFee: piece }: Prices): bigint {
  const objects = BigInt(ofObjects)
  const saved = objects * piece + (objects * call) / piecesPerCall - BigInt(ofPacks) * (piece + call)
  return saved > 0n ? saved : 0n
}
