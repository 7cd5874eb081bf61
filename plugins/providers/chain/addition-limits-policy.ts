/** How many pieces one addition may have, and how it is encoded: facts of the deployed contracts. */

export interface AdditionLimits {
  readonly piecesMax: number
  /** Whether the metadata lists of pieces without metadata are left out. */
  readonly omitsMetadata: boolean
}

/** Usable size of the `addPieces` call in a message of the chain, in bytes. */
const callBytesMax = 65_248
/** The call without pieces: selector, four words, two lengths, and the encoded nonce, lists and signature. */
const emptyCallBytes = 516
/** A CID of at most 64 bytes, with its length and the positions of its struct and of its bytes. */
const pieceBytes = 160
/** An empty list of keys and one of values, each with its position. */
const emptyListsBytes = 128
/** PDPVerifier stores data sets from before 3.5 in an old layout: more does not fit into the gas of a block. */
const legacyPiecesMax = 80
/** Pieces of an addition whose event PDPVerifier 3.4 has room for. */
const eventPiecesMax = 40

/** @param version `VERSION()` text of a contract, such as `1.3.0` */
export function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [, foundMajor, foundMinor] = /^v?(\d+)\.(\d+)/.exec(version) ?? []
  return Number(foundMajor) > major || (Number(foundMajor) === major && Number(foundMinor) >= minor)
}

const piecesOf = (bytesOfPiece: number) => Math.floor((callBytesMax - emptyCallBytes) / bytesOfPiece)

/** Pieces without metadata in the largest addition of any contract. */
export const additionPiecesMax = piecesOf(pieceBytes)

interface Target {
  /** null: the data set is not created yet. */
  readonly dataSetId: bigint | null
  /** The first data set id with the compact layout. 0: the upgrade has not separated the layouts yet; undefined: PDPVerifier is older. */
  readonly compactFrom: bigint | undefined
}

/** @param fwss `VERSION()` text of the storage service */
export function limitsOfAddition(fwss: string, { dataSetId, compactFrom }: Target): AdditionLimits {
  const omitsMetadata = isAtLeast(fwss, [1, 4])
  if (compactFrom === undefined) return { piecesMax: eventPiecesMax, omitsMetadata }
  const fitting = omitsMetadata ? additionPiecesMax : piecesOf(pieceBytes + emptyListsBytes)
  const isLegacy = compactFrom === 0n || (dataSetId !== null && dataSetId < compactFrom)
  return { piecesMax: isLegacy ? Math.min(legacyPiecesMax, fitting) : fitting, omitsMetadata }
}
