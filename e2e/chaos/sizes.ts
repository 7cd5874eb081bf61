/** Sizes of the objects of a chaos run. */
import { type Body, bodyOf, sparseBody } from '../fixtures/body.ts'
import type { Random } from './random.ts'

/** `packed`: those of `default`, which share pieces. */
export const sizeChoices = ['default', 'any', 'packed'] as const
export type SizeChoice = (typeof sizeChoices)[number]

export type MakeBody = (random: Random) => Promise<Body>

/** The allowed minimum, one page, and more than one body chunk. */
const usual = [127, 128, 1000, 4096, 65_537, 150_000]
/** Sizes without a piece, padded in the piece, or read in several chunks and blocks. */
const unusual = [0, 0, 1, 126, 127, 1_048_577, 9_000_000]
const sharedChance = 0.25
/** Larger bodies are sparse, because random bytes are made one by one. */
const randomBytesMax = 256 * 1024
const mib = 1024 * 1024
/** The largest piece. */
const pieceBytes = 1_065_353_216

export function createBodies(sizes: SizeChoice, random: Random): MakeBody {
  /** Put repeatedly, so that versions and keys share contents. */
  const shared = [bodyOf(random.bytes(500)), bodyOf(random.bytes(5000))]
  const choices = sizes === 'any' ? [...usual, ...unusual] : usual
  return async (random) => (random.chance(sharedChance) ? random.pick(shared) : makeBody(random, random.pick(choices)))
}

export const makeBody = async (random: Random, length: number): Promise<Body> =>
  length <= randomBytesMax ? bodyOf(random.bytes(length)) : sparseBody(random.below(2 ** 32), length)

/** Whether the large object of a run has several pieces. */
export const hasSeveralPieces = (seed: number): boolean => seed % 8 === 0

/** One object of a run: in one of eight seeds of several pieces, up to 3 GiB. */
export function largeSizeOf(seed: number, random: Random): number {
  return hasSeveralPieces(seed) ? pieceBytes + 1 + random.below(3 * 1024 * mib - pieceBytes) : 16 * mib + random.below(64 * mib)
}

/** For the names of counted operations. */
export function sizeOfBody({ length }: Body): string {
  if (length > pieceBytes) return ' of several pieces'
  if (length > 16 * mib) return ' above 16 MiB'
  return length < 127 ? ' below 127 bytes' : ''
}
