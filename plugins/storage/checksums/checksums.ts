/** Checksums of objects that clients send, or that are computed for them. */
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Digest length in bytes of each S3 checksum algorithm. */
export const checksumLengths = { crc32: 4, crc32c: 4, crc64nvme: 8, sha1: 20, sha256: 32 } as const

export type ChecksumAlgorithm = keyof typeof checksumLengths

export interface RunningChecksum {
  update(bytes: Uint8Array): void
  /** Returns the digest, most significant byte first. May be called once. */
  digest(): Buffer
}

export async function startChecksum(algorithm: ChecksumAlgorithm): Promise<RunningChecksum> {
  switch (algorithm) {
    case 'crc32':
      return startCrc32()
    case 'crc32c':
      return startPooled(crc32cPool)
    case 'crc64nvme':
      return startPooled(crc64nvmePool)
    case 'sha1':
    case 'sha256': {
      const hash = createHash(algorithm)
      return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest() }
    }
  }
}

function startCrc32(): RunningChecksum {
  let value = 0
  return {
    update(bytes) {
      value = crc32(bytes, value)
    },
    digest() {
      const digest = Buffer.allocUnsafe(4)
      digest.writeUInt32BE(value)
      return digest
    },
  }
}

interface Hasher {
  init(): unknown
  update(bytes: Uint8Array): unknown
  digest(form: 'binary'): Uint8Array
}

/** WebAssembly hashers are slow to create and hash one stream each, so finished ones are reused. */
interface HasherPool {
  readonly create: () => Promise<Hasher>
  readonly idle: Hasher[]
}

const idleHashersMax = 32
const crc32cPool: HasherPool = { create: async () => (await import('hash-wasm')).createCRC32(0x82f63b78), idle: [] }
const crc64nvmePool: HasherPool = { create: async () => new (await import('./crc64nvme.ts')).Crc64Nvme(), idle: [] }

async function startPooled(pool: HasherPool): Promise<RunningChecksum> {
  const hasher = pool.idle.pop() ?? (await pool.create())
  hasher.init()
  return {
    update: (bytes) => void hasher.update(bytes),
    digest() {
      const digest = Buffer.from(hasher.digest('binary'))
      if (pool.idle.length < idleHashersMax) pool.idle.push(hasher)
      return digest
    },
  }
}
