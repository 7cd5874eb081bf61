import { createHash, type Hash, hash } from 'node:crypto'
import { contentErrors } from '../../contract.ts'

/** The bytes of a cached file are not those of its content. */
export class DamagedBlob extends Error {
  override readonly name = 'DamagedBlob'

  /** Says without `sha256` that a block has another CRC-32. */
  constructor(sha256?: string) {
    super(`the cached file is damaged: ${sha256 === undefined ? 'a block has another CRC-32' : `its SHA-256 is not ${sha256}`}`)
  }
}

/** A cached file cannot be opened or read. Its bytes may be intact. */
export class UnreadableBlob extends Error {
  override readonly name = 'UnreadableBlob'
}

/** For an error of the process or of the moment, such as too many open files. */
export function busyDisk(cause: unknown): Error {
  const message = `the cached file cannot be read now: ${(cause as Error).message}; retry the read`
  return contentErrors.content_unavailable({ message, retryAfterSeconds: 5, cause })
}

/** For a client that gets the bytes from nowhere else. */
export const unreadableContent = (cause: UnreadableBlob): Error =>
  contentErrors.content_unavailable({ message: `${cause.message}; check the disk of cache.dir`, cause })

interface WholeBlob {
  readonly length: number
  /** Lower-case hex. */
  readonly sha256: string
  /** Called when the SHA-256 matches. */
  readonly onVerified?: () => void
}

/** An incremental SHA-256. Disposing abandons it. */
export interface RunningDigest extends Disposable {
  /** Resolves when the next block may be added. Never rejects: `end` reports errors. */
  add(block: Uint8Array): Promise<void> | undefined
  /** Lower-case hex. Rejects when it could not be computed. */
  end(): Promise<string> | string
}

/**
 * I-30: yields the last block of a whole blob only after the SHA-256 of all blocks matched, so that a response with wrong bytes is never
 * complete. A block must be valid until the one after the next is requested. @throws DamagedBlob
 */
export async function* verifyWhole(
  blocks: AsyncIterable<Uint8Array>,
  { length, sha256, onVerified }: WholeBlob,
  begin: () => RunningDigest = beginSha256,
): AsyncGenerator<Uint8Array, void, void> {
  using digest = begin()
  let passed = 0
  let adding: Promise<void> | undefined
  for await (const block of blocks) {
    passed += block.length
    // Hash one block while the consumer sends it; at most one is pending.
    await adding
    adding = digest.add(block)
    if (passed >= length) {
      await adding
      if ((await digest.end()) !== sha256) throw new DamagedBlob(sha256)
      onVerified?.()
    }
    yield block
  }
}

/** Hashes on this thread. A single block takes one call, which is faster. */
export function beginSha256(): RunningDigest {
  let only: Uint8Array | undefined
  let running: Hash | undefined
  return {
    add(block) {
      if (running === undefined && only === undefined) only = block
      else {
        running ??= createHash('sha256').update(only ?? block.subarray(0, 0))
        running.update(block)
      }
      return undefined
    },
    end: () => running?.digest('hex') ?? hash('sha256', only ?? new Uint8Array(0)),
    [Symbol.dispose]: () => {},
  }
}
