import { createHash, hash } from 'node:crypto'
import { type ChecksumAlgorithm, type RunningChecksum, startChecksum } from '../../checksums/checksums.ts'
import type { BodyDigests } from '../../contract.ts'
import { checkedBytes, checksumsOf } from '../verification/block-checksums.ts'

/** Digests of a body: MD5 for its ETag, SHA-256 for its identity, those of its blocks, and the checksum that the client wants. */
export type DigestName = 'md5' | 'blocks' | ChecksumAlgorithm

/** Of a body that is written to a file. */
export interface FileDigests extends BodyDigests {
  /** See BlockChecksums; only of several blocks. */
  readonly blockChecksums?: Uint8Array
}

/** Two walks over the bytes that take about the same time. */
export const passesOf = (checksum: ChecksumAlgorithm | undefined): readonly (readonly DigestName[])[] => [
  ['md5'],
  checksum === undefined || checksum === 'sha256' ? ['sha256', 'blocks'] : ['sha256', 'blocks', checksum],
]

export function namedDigests(size: number, digests: ReadonlyMap<DigestName, string>, checksum: ChecksumAlgorithm | undefined): FileDigests {
  const named = (name: DigestName): string => {
    const digest = digests.get(name)
    if (digest === undefined) throw new Error(`the digest ${name} of a body was not computed`)
    return digest
  }
  const body = { size, md5: named('md5'), sha256: named('sha256'), ...(checksum && { checksum: named(checksum) }) }
  return { ...body, blockChecksums: Buffer.from(named('blocks'), 'hex') }
}

/** Of a small body, on this thread. */
export async function digestsOf(bytes: Uint8Array, checksum: ChecksumAlgorithm | undefined): Promise<BodyDigests> {
  const running = checksum && (await startChecksum(checksum))
  running?.update(bytes)
  const digests = { size: bytes.length, md5: hash('md5', bytes), sha256: hash('sha256', bytes) }
  return running ? { ...digests, checksum: running.digest().toString('hex') } : digests
}

/** Like `digestsOf`, of a body that is written to a file. */
export async function fileDigestsOf(bytes: Uint8Array, checksum: ChecksumAlgorithm | undefined): Promise<FileDigests> {
  const digests = await digestsOf(bytes, checksum)
  return bytes.length > checkedBytes ? { ...digests, blockChecksums: checksumsOf(bytes) } : digests
}

/** Of a body in pieces, on this thread. Keeps no piece. */
export class RunningBodyDigests {
  readonly #md5 = createHash('md5')
  readonly #sha256 = createHash('sha256')
  readonly #checksum: RunningChecksum | undefined
  #size = 0

  private constructor(checksum: RunningChecksum | undefined) {
    this.#checksum = checksum
  }

  static async start(checksum: ChecksumAlgorithm | undefined): Promise<RunningBodyDigests> {
    return new RunningBodyDigests(checksum && (await startChecksum(checksum)))
  }

  update(piece: Uint8Array): void {
    this.#size += piece.length
    this.#md5.update(piece)
    this.#sha256.update(piece)
    this.#checksum?.update(piece)
  }

  /** Call once. */
  finish(): BodyDigests {
    const digests = { size: this.#size, md5: this.#md5.digest('hex'), sha256: this.#sha256.digest('hex') }
    return this.#checksum ? { ...digests, checksum: this.#checksum.digest().toString('hex') } : digests
  }
}
