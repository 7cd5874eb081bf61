// Fr32 padding: 254 raw bits become 256, so that every 32-byte leaf is a number below the field modulus.
import { endianness } from 'node:os'

/** A group is the smallest run of blocks that starts and ends on a word border: 16 blocks of 254 bits. */
const BLOCKS_PER_GROUP = 16
const WORDS_PER_BLOCK = 8
const GROUP_RAW_WORDS = 127
const GROUP_PADDED_WORDS = 128
export const GROUP_RAW_BYTES = GROUP_RAW_WORDS * 4
export const GROUP_PADDED_BYTES = GROUP_PADDED_WORDS * 4

/** Keeps 30 of a block's last 32 bits: the two bits above them stay zero and move to the next block. */
const LAST_WORD_MASK = 0x3fffffff

// Bits are numbered from the lowest bit of the first byte: words read from memory match that only in little-endian order.
if (endianness() !== 'LE') throw new Error('piece CIDs can be computed on little-endian machines only')

/**
 * Expands `groups` times 508 raw bytes into 512 padded bytes, both as 32-bit words from index 0.
 * @param raw at least `groups * 127` words
 * @param padded at least `groups * 128` words
 */
export function padFr32(raw: Uint32Array, padded: Uint32Array, groups: number): void {
  for (let group = 0; group < groups; group++) {
    padGroup(raw, group * GROUP_RAW_WORDS, padded, group * GROUP_PADDED_WORDS)
  }
}

/** Block j is shifted up by 2j bits; each word gets the bits shifted out of the previous word. */
function padGroup(raw: Uint32Array, rawStart: number, padded: Uint32Array, paddedStart: number): void {
  const lastOfFirst = WORDS_PER_BLOCK - 1
  // Block 0 is not shifted: in JavaScript a shift by 32 is a shift by 0.
  for (let at = 0; at < lastOfFirst; at++) padded[paddedStart + at] = raw[rawStart + at] ?? 0
  let before = raw[rawStart + lastOfFirst] ?? 0
  padded[paddedStart + lastOfFirst] = before & LAST_WORD_MASK

  for (let block = 1; block < BLOCKS_PER_GROUP; block++) {
    const up = 2 * block
    const down = 32 - up
    const last = block * WORDS_PER_BLOCK + WORDS_PER_BLOCK - 1
    for (let at = block * WORDS_PER_BLOCK; at < last; at++) {
      const word = raw[rawStart + at] ?? 0
      padded[paddedStart + at] = (word << up) | (before >>> down)
      before = word
    }
    // The last word of the last block has no raw word: it only gets the bits shifted out.
    const word = last < GROUP_RAW_WORDS ? (raw[rawStart + last] ?? 0) : 0
    padded[paddedStart + last] = ((word << up) | (before >>> down)) & LAST_WORD_MASK
    before = word
  }
}
