// Fr32 padding: 254 raw bits become 256, so that every 32-byte leaf is a number below the field modulus.
import { endianness } from 'node:os'

/** A group is the smallest run of blocks that starts and ends on a word border: 16 blocks of 254 bits. */
const blocksPerGroup = 16
const wordsPerBlock = 8
const groupRawWords = 127
const groupPaddedWords = 128
export const groupRawBytes = groupRawWords * 4
export const groupPaddedBytes = groupPaddedWords * 4

/** Keeps 30 of a block's last 32 bits: the two bits above them stay zero and move to the next block. */
const lastWordMask = 0x3fffffff

// Bits are numbered from the lowest bit of the first byte: words read from memory match that only in little-endian order.
if (endianness() !== 'LE') throw new Error('piece CIDs can be computed on little-endian machines only')

/**
 * Expands `groups` times 508 raw bytes into 512 padded bytes, both as 32-bit words from index 0.
 * @param raw at least `groups * 127` words
 * @param padded at least `groups * 128` words
 */
export function padFr32(raw: Uint32Array, padded: Uint32Array, groups: number): void {
  for (let group = 0; group < groups; group++) {
    padGroup(raw, group * groupRawWords, padded, group * groupPaddedWords)
  }
}

/** Block j is shifted up by 2j bits; each word gets the bits shifted out of the previous word. */
function padGroup(raw: Uint32Array, rawStart: number, padded: Uint32Array, paddedStart: number): void {
  const lastOfFirst = wordsPerBlock - 1
  // Block 0 is not shifted: in JavaScript a shift by 32 is a shift by 0.
  for (let at = 0; at < lastOfFirst; at++) padded[paddedStart + at] = raw[rawStart + at] ?? 0
  let before = raw[rawStart + lastOfFirst] ?? 0
  padded[paddedStart + lastOfFirst] = before & lastWordMask

  for (let block = 1; block < blocksPerGroup; block++) {
    const up = 2 * block
    const down = 32 - up
    const last = block * wordsPerBlock + wordsPerBlock - 1
    for (let at = block * wordsPerBlock; at < last; at++) {
      const word = raw[rawStart + at] ?? 0
      padded[paddedStart + at] = (word << up) | (before >>> down)
      before = word
    }
    // The last word of the last block has no raw word: it only gets the bits shifted out.
    const word = last < groupRawWords ? (raw[rawStart + last] ?? 0) : 0
    padded[paddedStart + last] = ((word << up) | (before >>> down)) & lastWordMask
    before = word
  }
}
