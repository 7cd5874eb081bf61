/** How many pieces one addition may have, and how it is encoded: facts of the deployed contracts. */
import type { ChainPort } from './chain-port.ts'
import { pdpAbi } from './pdp-abi.ts'
import { eventPiecesMax } from './provider-limits.ts'

interface AdditionLimits {
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

/** @param version `VERSION()` text of a contract, such as `1.3.0` */
export function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [, foundMajor, foundMinor] = /^v?(\d+)\.(\d+)/.exec(version) ?? []
  return Number(foundMajor) > major || (Number(foundMajor) === major && Number(foundMinor) >= minor)
}

const piecesOf = (bytesOfPiece: number) => Math.floor((callBytesMax - emptyCallBytes) / bytesOfPiece)

/** Pieces without metadata in the largest addition of any contract. */
export const additionPiecesMax = piecesOf(pieceBytes)

/**
 * Read for each addition, because a live network is upgraded while the service runs. `dataSetId` null: the data set is not created yet.
 * Rejects with the chain client's errors.
 */
export async function readAdditionLimits(
  chain: Pick<ChainPort, 'contractVersions' | 'network' | 'read'>,
  dataSetId: bigint | null,
): Promise<AdditionLimits> {
  const { fwss, pdpVerifier } = await chain.contractVersions()
  const omitsMetadata = isAtLeast(fwss, [1, 4])
  if (!isAtLeast(pdpVerifier, [3, 5])) return { piecesMax: eventPiecesMax, omitsMetadata }
  const address = chain.network.contracts.pdpVerifier
  const compactFrom = await chain.read({ address, abi: pdpAbi, functionName: 'legacyPieceStorageIdLimit' })
  const fitting = omitsMetadata ? additionPiecesMax : piecesOf(pieceBytes + emptyListsBytes)
  // 0: the upgrade has not separated the layouts yet.
  const isLegacy = compactFrom === 0n || (dataSetId !== null && dataSetId < compactFrom)
  return { piecesMax: isLegacy ? Math.min(legacyPiecesMax, fitting) : fitting, omitsMetadata }
}
