/** Small contents whose bytes are in the database: written in the transaction of their rows, so that its commit makes both durable (I-01). */
import { hash, randomUUID } from 'node:crypto'
import type { Reader } from '#kernel'
import { bytesOfBlob, databaseEpoch } from '../../catalog/cached/cache-bytes-store.ts'
import type { ExpectedBlob, StagedBlob } from '../../catalog/cached/cache-entry-store.ts'
import { MemoryBlob, type OpenBlob } from './blob-reader.ts'
import type { HotBytes } from './hot-bytes.ts'

/** 20 hexadecimal digits. Node makes many UUIDs with one system call; their first 8 and last 12 digits are random. */
function randomDigits(): string {
  const id = randomUUID()
  return id.slice(0, 8) + id.slice(-12)
}

/** A blob without a file. The bytes must not change until the commit. */
export const stageBytes = (bytes: Uint8Array, nowMs: number): StagedBlob => ({
  blobId: nowMs.toString(16).padStart(12, '0') + randomDigits(),
  epoch: databaseEpoch,
  length: bytes.length,
  bytes,
})

/** The bytes, verified (I-30). `missing`: removed or replaced since the lookup; `damaged`: other bytes than those of the content. */
export async function readDatabaseBlob(
  read: Reader,
  { blobId, length, sha256 }: ExpectedBlob,
): Promise<Uint8Array | 'missing' | 'damaged'> {
  const bytes = await bytesOfBlob(read, blobId)
  if (!bytes) return 'missing'
  return bytes.length === length && (sha256 === null || hash('sha256', bytes) === sha256) ? bytes : 'damaged'
}

/** Does for bytes in the database what openHotBlob does for a file. */
export async function openDatabaseBlob(deps: { readonly read: Reader; readonly hot: HotBytes }, blob: ExpectedBlob): Promise<OpenBlob> {
  const kept = deps.hot.get(blob.blobId)
  if (kept) return { is: 'open', blob: new MemoryBlob(kept), isVerified: true }
  const found = await readDatabaseBlob(deps.read, blob)
  if (found === 'missing' || found === 'damaged') return { is: found }
  // Kept bytes that are a part of a larger buffer would keep all of it.
  const bytes = found.buffer.byteLength === found.length ? found : new Uint8Array(found)
  deps.hot.keep(blob.blobId, bytes)
  return { is: 'open', blob: new MemoryBlob(bytes), isVerified: true }
}
