/** Checksums of objects that clients send, or that are computed for them. */
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Digest length in bytes of each S3 checksum algorithm. */
export const checksumLengths = {
  ...{ crc32: 4, crc32c: 4, crc64nvme: 8, sha1: 20, sha256: 32 },
  ...{ sha512: 64, md5: 16, xxhash64: 8, xxhash3: 8, xxhash128: 16 },
} as const

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
    case 'sha1':
    case 'sha256':
    case 'sha512':
    case 'md5': {
      const hash = createHash(algorithm)
      return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest() }
    }
    default:
      return startPooled(hasherPools[algorithm])
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
const hasherPools = {
  crc32c: poolOf(async () => (await import('hash-wasm')).createCRC32(0x82f63b78)),
  crc64nvme: poolOf(async () => new (await import('./crc64nvme.ts')).Crc64Nvme()),
  xxhash64: poolOf(async () => (await import('hash-wasm')).createXXHash64()),
  xxhash3: poolOf(async () => (await import('hash-wasm')).createXXHash3()),
  xxhash128: poolOf(async () => (await import('hash-wasm')).createXXHash128()),
}

function poolOf(create: HasherPool['create']): HasherPool {
  return { create, idle: [] }
}

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
