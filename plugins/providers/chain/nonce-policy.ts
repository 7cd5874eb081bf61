/** Outcome of a submission, decoded from its nonce in the storage service contract. */

export type NonceOutcome =
  /** Not used at the epoch of the read. It may still be used later: signatures have no deadline. */
  | { readonly landed: false }
  /** Used by a creation (`nextPieceId` absent) or by an addition, whose n pieces have the ids nextPieceId − n … nextPieceId − 1. */
  | { readonly landed: true; readonly dataSetId: bigint; readonly nextPieceId?: bigint }

const lowHalf = (1n << 128n) - 1n

/** Decodes `clientNonces(payer, nonce)`: the data set id in the low 128 bits; for additions the next piece id in the high 128 bits. */
export function decodeNonce(word: bigint): NonceOutcome {
  if (word === 0n) return { landed: false }
  const dataSetId = word & lowHalf
  const nextPieceId = word >> 128n
  return nextPieceId === 0n ? { landed: true, dataSetId } : { landed: true, dataSetId, nextPieceId }
}

/** The ids that an addition of `count` pieces received, in the signed order. */
export function pieceIdsOf(nextPieceId: bigint, count: number): bigint[] {
  const first = nextPieceId - BigInt(count)
  if (first < 0n) throw new RangeError(`an addition of ${count} pieces cannot end at piece id ${nextPieceId}`)
  return Array.from({ length: count }, (_, index) => first + BigInt(index))
}
