/** Fees that need not be paid. Amounts in 10^-18 USDFC. */
import type { AddedPieces } from '#plugins/replication'
import type { PriceList } from '#plugins/wallet'

export const piecesFees = (
  { additions, pieces }: Pick<AddedPieces, 'additions' | 'pieces'>,
  prices: Pick<PriceList, 'addPiecesBaseFee' | 'addPiecesPerPieceFee'>,
): bigint => BigInt(additions) * prices.addPiecesBaseFee + BigInt(pieces) * prices.addPiecesPerPieceFee

/** Null when nothing costs anything. Rounded down, so that only fees alone are 100. */
export function feePercent(fees: bigint, storage: bigint): number | null {
  const sum = fees + storage
  return sum === 0n ? null : Number((fees * 100n) / sum)
}
