// Folds complete subtrees, added from left to right, into the root of a piece; missing leaves on the right are zeros.
import { fallbackNodeHasher, hashPair, type NodeHasher, nodeBytes } from './node-hasher.ts'

/** Root of a full binary tree over `2^height` leaves of 32 bytes. */
export interface Subtree {
  readonly root: Uint8Array
  readonly height: number
}

interface SubtreeFold {
  /** Adds the subtree on the right. Must not be higher than the previous one. */
  add(subtree: Subtree): void
  /** Root at `height`; more subtrees may be added afterwards. `last` is an incomplete subtree on the right, which is not added. */
  rootAt(height: number, last?: Subtree): Uint8Array
  /** Root of the incomplete rightmost tree of `height`, padded with zeros; undefined when there is none. */
  unfinishedAt(height: number, last?: Subtree): Uint8Array | undefined
}

/** 2^48 leaves: the largest tree whose raw size is a safe integer. */
export const treeHeightMax = 48

/** `onSubtree` gets every complete subtree, added or folded, from left to right on each height. */
export function createSubtreeFold(hasher: NodeHasher, onSubtree?: (subtree: Subtree) => void): SubtreeFold {
  // Heights decrease from bottom to top: at most one subtree per height.
  const stack: Subtree[] = []

  /** `last` and the subtrees lower than `height`, folded from the right. */
  function foldBelow(height: number, last: Subtree | undefined): Subtree | undefined {
    let folded = last
    for (const left of stack.toReversed()) {
      if (left.height >= height) break
      folded = folded ? { root: hashPair(hasher, left.root, liftWithZeros(hasher, folded, left.height)), height: left.height + 1 } : left
    }
    return folded
  }

  return {
    add(subtree) {
      let { root, height } = subtree
      onSubtree?.(subtree)
      let left = stack.at(-1)
      while (left?.height === height) {
        stack.pop()
        root = hashPair(hasher, left.root, root)
        height++
        onSubtree?.({ root, height })
        left = stack.at(-1)
      }
      stack.push({ root, height })
    },

    rootAt(height, last) {
      return liftWithZeros(hasher, foldBelow(Number.POSITIVE_INFINITY, last) ?? { root: zeroRoot(0), height: 0 }, height)
    },

    unfinishedAt(height, last) {
      const folded = foldBelow(height, last)
      return folded && liftWithZeros(hasher, folded, height)
    },
  }
}

/** Root of the tree of `height` whose left edge is `subtree` and whose other leaves are zero. */
function liftWithZeros(hasher: NodeHasher, subtree: Subtree, height: number): Uint8Array {
  let root = subtree.root
  for (let level = subtree.height; level < height; level++) root = hashPair(hasher, root, zeroRoot(level))
  return root
}

const zeroRoots: Uint8Array[] = [new Uint8Array(nodeBytes)]

function zeroRoot(height: number): Uint8Array {
  for (let level = zeroRoots.length; level <= height && level <= treeHeightMax; level++) {
    const below = zeroRoots[level - 1] ?? new Uint8Array(nodeBytes)
    zeroRoots.push(hashPair(fallbackNodeHasher, below, below))
  }
  const root = zeroRoots[height]
  if (!root) throw new RangeError(`a piece tree is at most ${treeHeightMax} levels high, got ${height}`)
  return root
}
