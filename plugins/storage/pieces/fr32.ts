// Fr32 padding: 254 raw bits become 256, so that every 32-byte leaf is a number below the field modulus.
import { endianness } from 'node:os'

/** A group is the smallest run of blocks that starts and ends on a word border: 16 blocks of 254 bits. */
const BLOCKS_PER_GROUP = 16
const WORDS_PER_BLOCK = 8
export const GROUP_RAW_WORDS = 127
export const GROUP_PADDED_WORDS = 128
export const GROUP_RAW_BYTES = GROUP_RAW_WORDS * 4
export const GROUP_PADDED_BYTES = GROUP_PADDED_WORDS * 4

/** Keeps 30 of a block's last 32 bits: the two bits above them stay zero and move to the next block. */
const LAST_WORD_MASK = 0x3fffffff

// Bits are numbered from the lowest one of the first byte; words read from memory agree with that only in this order.
if (endianness() !== 'LE') throw new Error('piece CIDs can be computed on little-endian machines only')

/**
 * Expands `groups` times 508 raw bytes into 512 padded bytes, both seen as 32-bit words from index 0.
 * @param raw at least `groups * 127` words
 * @param padded at least `groups * 128` words
 */
export function padFr32(raw: Uint32Array, padded: Uint32Array, groups: number): void {
  for (let group = 0; group < groups; group++) {
    padGroup(raw.subarray(group * GROUP_RAW_WORDS, (group + 1) * GROUP_RAW_WORDS), padded, group * GROUP_PADDED_WORDS)
  }
}

/** Block j is shifted up by 2j bits: `carry` holds the bits that the words before have pushed out. */
function padGroup(raw: Uint32Array, padded: Uint32Array, paddedStart: number): void {
  let carry = 0
  for (let block = 0; block < BLOCKS_PER_GROUP; block++) {
    const first = block * WORDS_PER_BLOCK
    const last = first + WORDS_PER_BLOCK - 1
    const shift = 2 * block
    for (let at = first; at < last; at++) {
      const word = raw[at] ?? 0
      padded[paddedStart + at] = (word << shift) | carry
      // Two steps because a shift by 32 (block 0) would be a shift by 0.
      carry = (word >>> 1) >>> (31 - shift)
    }
    // The last block of a group has no last word of its own: only the carry is left.
    const word = raw[last] ?? 0
    padded[paddedStart + last] = ((word << shift) | carry) & LAST_WORD_MASK
    carry = word >>> (30 - shift)
  }
}
