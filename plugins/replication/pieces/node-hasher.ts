// Hashes one layer of a piece's tree: every 64 bytes become one 32-byte node (SHA-256 cut to 254 bits).
import { createRequire } from 'node:module'
import { hashInto as hashIntoWasm } from '@chainsafe/as-sha256'

export const nodeBytes = 32

/** Clears two bits of a node's last byte, so that the node is below the field modulus. */
const lastByteMask = 0x3f

/** SHA-256 of each 64-byte block of `input` into `output`, which is half as long. */
type HashBlocks = (input: Uint8Array, output: Uint8Array) => void

export interface NodeHasher {
  readonly name: 'hashtree' | 'as-sha256'
  /** `input` is a multiple of 64 bytes; `output` is half as long and separate memory. */
  hashLayer(input: Uint8Array, output: Uint8Array): void
}

interface NodeHasherChoice {
  readonly hasher: NodeHasher
  /** Why the native hasher is not used (hashing is then about five times slower); absent when it is used. Log it as a warning. */
  readonly nativeProblem?: string
}

/** The portable hasher (WebAssembly). */
export const fallbackNodeHasher: NodeHasher = maskedHasher('as-sha256', hashIntoWasm)

/** Chooses the native hasher when it can be loaded and agrees with the portable one. */
export function chooseNodeHasher(loadNative: () => HashBlocks = loadHashtree): NodeHasherChoice {
  try {
    const native = maskedHasher('hashtree', loadNative())
    if (agreesWithFallback(native)) return { hasher: native }
    return { hasher: fallbackNodeHasher, nativeProblem: '@chainsafe/hashtree gives wrong hashes on this machine' }
  } catch (error) {
    // Expected on platforms without a prebuilt binary: fall back and report the reason.
    return { hasher: fallbackNodeHasher, nativeProblem: error instanceof Error ? error.message : String(error) }
  }
}

/** The hasher of this process, chosen once. */
export const nodeHasherChoice: NodeHasherChoice = chooseNodeHasher()

/** Hashes the pair (left, right) into their parent. */
export function hashPair(hasher: NodeHasher, left: Uint8Array, right: Uint8Array): Uint8Array {
  const pair = new Uint8Array(2 * nodeBytes)
  pair.set(left)
  pair.set(right, nodeBytes)
  const parent = new Uint8Array(nodeBytes)
  hasher.hashLayer(pair, parent)
  return parent
}

function maskedHasher(name: NodeHasher['name'], hashBlocks: HashBlocks): NodeHasher {
  return {
    name,
    hashLayer(input, output) {
      hashBlocks(input, output)
      for (let last = nodeBytes - 1; last < output.length; last += nodeBytes) output[last] = (output[last] ?? 0) & lastByteMask
    },
  }
}

// The package is CommonJS around a platform binary, so `require` reports a missing binary as an ordinary error.
function loadHashtree(): HashBlocks {
  const native: typeof import('@chainsafe/hashtree') = createRequire(import.meta.url)('@chainsafe/hashtree')
  return native.hashInto
}

/** Compares a few blocks before the binary is used: pieces with wrong hashes would be paid for on chain. */
function agreesWithFallback(hasher: NodeHasher): boolean {
  const sample = Uint8Array.from({ length: 5 * 2 * nodeBytes }, (_, index) => (index * 7 + 1) & 0xff)
  const found = new Uint8Array(sample.length / 2)
  const expected = new Uint8Array(sample.length / 2)
  hasher.hashLayer(sample, found)
  fallbackNodeHasher.hashLayer(sample, expected)
  return Buffer.compare(found, expected) === 0
}
