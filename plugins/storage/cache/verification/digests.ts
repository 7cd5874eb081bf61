import { hash } from 'node:crypto'
import { type ChecksumAlgorithm, startChecksum } from '../../checksums/checksums.ts'
import type { BodyDigests } from '../../contract.ts'
import { BlockChecksums, checkedBytes } from './block-checksums.ts'

/** Digests of a body: MD5 for its ETag, SHA-256 for its identity, those of its blocks, and the checksum that the client wants. */
export type DigestName = 'blocks' | ChecksumAlgorithm

export interface FileDigests extends BodyDigests {
  /** See BlockChecksums; only of several blocks. */
  readonly blockChecksums?: Uint8Array
}

/** One digest of bytes in pieces, on this thread. */
export interface Digest {
  update(bytes: Uint8Array): void
  /** Lower-case hex. Call once. */
  hex(): string
}

export async function startDigest(name: DigestName): Promise<Digest> {
  if (name === 'blocks') {
    const blocks = new BlockChecksums()
    return { update: (bytes) => blocks.add(bytes), hex: () => blocks.toBytes().toString('hex') }
  }
  const checksum = await startChecksum(name)
  return { update: checksum.update, hex: () => checksum.digest().toString('hex') }
}

export function namedDigests(size: number, digests: ReadonlyMap<DigestName, string>, checksum: ChecksumAlgorithm | undefined): FileDigests {
  const named = (name: DigestName): string => {
    const digest = digests.get(name)
    if (digest === undefined) throw new Error(`the digest ${name} of a body was not computed`)
    return digest
  }
  const body = { size, md5: named('md5'), sha256: named('sha256'), ...(checksum && { checksum: named(checksum) }) }
  return digests.has('blocks') && size > checkedBytes ? { ...body, blockChecksums: Buffer.from(named('blocks'), 'hex') } : body
}

/** Digests of a body in memory, on this thread. */
export async function digestsOf(bytes: Uint8Array, checksum: ChecksumAlgorithm | undefined): Promise<BodyDigests> {
  const running = checksum && (await startChecksum(checksum))
  running?.update(bytes)
  const digests = { size: bytes.length, md5: hash('md5', bytes), sha256: hash('sha256', bytes) }
  return running ? { ...digests, checksum: running.digest().toString('hex') } : digests
}

/** Digests of a body in pieces, on this thread. Keeps no piece. */
export class RunningBodyDigests {
  readonly #checksum: ChecksumAlgorithm | undefined
  readonly #running: ReadonlyMap<DigestName, Digest>
  #size = 0

  private constructor(checksum: ChecksumAlgorithm | undefined, running: ReadonlyMap<DigestName, Digest>) {
    this.#checksum = checksum
    this.#running = running
  }

  /** `more`: digests beside those that every body has. */
  static async start(checksum: ChecksumAlgorithm | undefined, ...more: readonly DigestName[]): Promise<RunningBodyDigests> {
    const names = new Set<DigestName>(['md5', 'sha256', ...(checksum ? [checksum] : []), ...more])
    const running = await Promise.all([...names].map(async (name) => [name, await startDigest(name)] as const))
    return new RunningBodyDigests(checksum, new Map(running))
  }

  get size(): number {
    return this.#size
  }

  update(piece: Uint8Array): void {
    this.#size += piece.length
    for (const digest of this.#running.values()) digest.update(piece)
  }

  /** Call once. */
  finish(): FileDigests {
    const digests = [...this.#running].map(([name, digest]) => [name, digest.hex()] as const)
    return namedDigests(this.#size, new Map(digests), this.#checksum)
  }
}
