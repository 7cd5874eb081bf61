import type { ExpectedBlob } from '../../catalog/cached/cache-entry-store.ts'
import type { ByteRange } from '../../contract.ts'
import { isMissing, isPassing } from '../files/disk.ts'
import { busyDisk, DamagedBlob, UnreadableBlob } from '../verification/whole-read.ts'
import { type BlobReaderDeps, FileRead, type ReadableBlob } from './file-read.ts'
import type { HotBytes } from './hot-bytes.ts'

/** Why a blob has no bytes to use. */
export type BlobFault =
  | { readonly is: 'missing' }
  /** For another reason, such as its permissions or a fault of the disk. The file may be intact. */
  | { readonly is: 'unreadable'; readonly error: UnreadableBlob }
  /** The file has another length or other bytes than the content. */
  | { readonly is: 'damaged' }

export type OpenBlob =
  /** `isVerified`: the bytes are known to match the content's SHA-256. */
  { readonly is: 'open'; readonly blob: ReadableBlob; readonly isVerified: boolean } | BlobFault

/** What a read of the whole blob found. */
export type CheckedBlob = { readonly is: 'intact' } | BlobFault

/** Blobs up to this length are read whole and kept in memory. */
const hotBlobBytesMax = 64 * 1024

/** Opens like openBlob, but serves small blobs from memory after their first read. */
export async function openHotBlob(
  { hot, ...deps }: BlobReaderDeps & { readonly hot: HotBytes },
  path: string,
  blob: ExpectedBlob,
): Promise<OpenBlob> {
  if (blob.length > hotBlobBytesMax) return openBlob(deps, path, blob)
  const kept = hot.get(blob.blobId)
  if (kept) return { is: 'open', blob: new MemoryBlob(kept), isVerified: true }
  const opened = await openBlob(deps, path, blob)
  if (opened.is !== 'open') return opened
  const blocks: Uint8Array[] = []
  try {
    for await (const block of opened.blob.read()) blocks.push(block)
  } catch (error) {
    return faultOf(error)
  }
  const bytes = blocks.length === 1 && blocks[0] ? blocks[0] : Buffer.concat(blocks)
  // Verified once: later damage on the disk does not reach the bytes in memory.
  hot.keep(blob.blobId, bytes)
  return { is: 'open', blob: new MemoryBlob(bytes), isVerified: true }
}

export class MemoryBlob implements ReadableBlob {
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  async *read(range?: ByteRange): AsyncGenerator<Uint8Array, void, void> {
    yield range ? this.bytes.subarray(range.start, range.end + 1) : this.bytes
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

export async function openBlob(deps: BlobReaderDeps, path: string, expected: ExpectedBlob): Promise<OpenBlob> {
  const { disk } = deps
  let descriptor: number
  try {
    descriptor = await disk.open(path)
  } catch (error) {
    if (isMissing(error)) return { is: 'missing' }
    if (isPassing(error)) throw busyDisk(error)
    return {
      is: 'unreadable',
      error: new UnreadableBlob(`the cached file cannot be opened: ${(error as Error).message}`, { cause: error }),
    }
  }
  const { length, stamp } = disk.stat(descriptor)
  if (length === expected.length) return { is: 'open', blob: new FileRead(deps, { descriptor, stamp }, expected), isVerified: false }
  await disk.close(descriptor)
  return { is: 'damaged' }
}

/** Whether the file exists and its bytes match the content. Always reads the file. @throws SvcError when the disk is busy */
export async function checkBlob({ verifications: _, ...deps }: BlobReaderDeps, path: string, expected: ExpectedBlob): Promise<CheckedBlob> {
  const opened = await openBlob(deps, path, expected)
  if (opened.is !== 'open') return opened
  await using blob = opened.blob
  try {
    for await (const _ of blob.read(undefined, { lends: true }));
    return { is: 'intact' }
  } catch (error) {
    return faultOf(error)
  }
}

/** What a failed read says of the blob. @throws the error when it says nothing */
function faultOf(error: unknown): BlobFault {
  if (error instanceof DamagedBlob) return { is: 'damaged' }
  if (error instanceof UnreadableBlob) return { is: 'unreadable', error }
  throw error
}
