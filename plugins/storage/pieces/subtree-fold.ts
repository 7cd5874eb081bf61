// Folds finished subtrees, given from left to right, into the root of a whole piece; what is missing on the right is zeros.
import { fallbackNodeHasher, hashPair, NODE_BYTES, type NodeHasher } from './node-hasher.ts'

/** Root of a full binary tree over `2^height` leaves of 32 bytes. */
export interface Subtree {
  readonly root: Uint8Array
  readonly height: number
}

export interface SubtreeFold {
  /** Adds the subtree to the right of all before; never higher than the one before it. */
  add(subtree: Subtree): void
  /** Root at `height`; the fold itself is unchanged and can go on. `last` is a subtree to the right that may still grow. */
  rootAt(height: number, last?: Subtree): Uint8Array
}

/** 2^48 leaves: the largest tree whose raw size is still a safe integer. */
export const TREE_HEIGHT_MAX = 48

export function createSubtreeFold(hasher: NodeHasher): SubtreeFold {
  // Heights fall from bottom to top, so the stack never holds more than one subtree per height.
  const stack: Subtree[] = []

  return {
    add(subtree) {
      let { root, height } = subtree
      let left = stack.at(-1)
      while (left?.height === height) {
        stack.pop()
        root = hashPair(hasher, left.root, root)
        height++
        left = stack.at(-1)
      }
      stack.push({ root, height })
    },

    rootAt(height, last) {
      let folded = last
      for (const left of stack.toReversed()) {
        folded = folded ? { root: hashPair(hasher, left.root, liftWithZeros(hasher, folded, left.height)), height: left.height + 1 } : left
      }
      return liftWithZeros(hasher, folded ?? { root: zeroRoot(0), height: 0 }, height)
    },
  }
}

/** Root of the tree of `height` whose left edge is `subtree` and whose other leaves are zero. */
function liftWithZeros(hasher: NodeHasher, subtree: Subtree, height: number): Uint8Array {
  let root = subtree.root
  for (let level = subtree.height; level < height; level++) root = hashPair(hasher, root, zeroRoot(level))
  return root
}

const zeroRoots: Uint8Array[] = [new Uint8Array(NODE_BYTES)]

function zeroRoot(height: number): Uint8Array {
  for (let level = zeroRoots.length; level <= height && level <= TREE_HEIGHT_MAX; level++) {
    const below = zeroRoots[level - 1] ?? new Uint8Array(NODE_BYTES)
    zeroRoots.push(hashPair(fallbackNodeHasher, below, below))
  }
  const root = zeroRoots[height]
  if (!root) throw new RangeError(`a piece tree is at most ${TREE_HEIGHT_MAX} levels high, asked for ${height}`)
  return root
}
