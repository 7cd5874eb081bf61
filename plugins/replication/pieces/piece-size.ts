// Conversion between the raw size of a piece and the height of its tree.
import { treeHeightMax } from './subtree-fold.ts'

/** 127 raw bytes fill the smallest tree: four leaves, height 2. */
const smallestRawBytes = 127
const smallestHeight = 2

/** A chunk is the part of a piece below one node of this height: 2^15 leaves, 1 MiB padded. */
export const chunkHeight = 15
export const chunkRawBytes = 1_040_384

/** Raw bytes that fill a tree of this height. */
export function rawCapacity(height: number): number {
  return smallestRawBytes * 2 ** (height - smallestHeight)
}

/** Height of the smallest tree for this many raw bytes. @throws RangeError for sizes below 1 or above the largest tree */
export function heightOf(rawSize: number): number {
  if (!Number.isSafeInteger(rawSize) || rawSize < 1) throw new RangeError(`a piece needs at least one byte, got ${rawSize}`)
  let height = smallestHeight
  while (rawCapacity(height) < rawSize && height < treeHeightMax) height++
  if (rawCapacity(height) < rawSize) throw new RangeError(`a piece of ${rawSize} bytes is larger than any tree`)
  return height
}

/** Whether a tree can have this height and padding: at least one raw byte must remain. */
export function isTreeShape(height: number, padding: number): boolean {
  return height >= smallestHeight && height <= treeHeightMax && padding < rawCapacity(height)
}
