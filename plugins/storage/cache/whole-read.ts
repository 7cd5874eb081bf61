import { createHash, type Hash, hash } from 'node:crypto'

/** A cached file has other bytes than its content. */
export class DamagedBlob extends Error {
  override readonly name = 'DamagedBlob'

  constructor(sha256: string) {
    super(`the cached file has other bytes than its content: their SHA-256 is not ${sha256}`)
  }
}

export interface WholeBlob {
  readonly length: number
  /** Lower-case hex. */
  readonly sha256: string
}

/**
 * I-30: gives the last block of a whole blob only after the SHA-256 of all blocks was compared, so that wrong bytes never make a complete
 * answer. @throws DamagedBlob
 */
export async function* proveWhole(
  blocks: AsyncIterable<Uint8Array>,
  { length, sha256 }: WholeBlob,
): AsyncGenerator<Uint8Array, void, void> {
  let digest: Hash | undefined
  let passed = 0
  for await (const block of blocks) {
    passed += block.length
    // A blob of one block is hashed in one call, which is faster.
    if (block.length < length) digest = (digest ?? createHash('sha256')).update(block)
    if (passed >= length && (digest?.digest('hex') ?? hash('sha256', block)) !== sha256) throw new DamagedBlob(sha256)
    yield block
  }
}
