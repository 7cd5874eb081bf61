/** The door of this folder, which moves the bytes of bodies and answers (docs/adr/0070). `openTransfers` is the other half. */
import type { MemoryUse } from '#kernel/system'
import type { ByteRange, ChecksumAlgorithm } from '../../contract.ts'
import type { Disk } from '../files/disk.ts'
import type { FileDigests } from '../verification/digests.ts'
import type { RunningDigest } from '../verification/whole-read.ts'

export interface Transfers extends AsyncDisposable {
  /** A new file for one body. Fails with EEXIST when the path exists. */
  create(disk: Disk, path: string, body: BodyOptions): Promise<NewFile>
  /** One read of an open file, which must stay open until the read is disposed. */
  read(file: OpenFile, wanted: Wanted): FileBlocks
  /** A SHA-256 of this many bytes, which come from elsewhere. */
  hash(bytes: number): RunningDigest
  memory(): Promise<TransferMemory>
}

export interface BodyOptions {
  /** Expected length. It decides how the body is buffered and written. */
  readonly size?: number | undefined
  /** Computed together with the other digests. */
  readonly checksum?: ChecksumAlgorithm | undefined
  /** Reads the file while it is written. */
  readonly follower?: FileFollower | undefined
}

interface FileFollower {
  /** The pieces are written at the end of the file. */
  grow(path: string, pieces: readonly Uint8Array[]): void
}

export interface NewFile {
  /** The piece may be changed when the returned promise has resolved, or at once without one. Rejects with an earlier fault of the disk. */
  add(piece: Uint8Array): Promise<void> | undefined
  /** Resolves when all bytes are written. */
  finish(): Promise<FileDigests>
  /** Makes all bytes and the length durable. */
  sync(): Promise<void>
  /** Ends the writing, complete or not. May be called again. */
  close(): Promise<void>
}

export interface OpenFile {
  readonly disk: Disk
  readonly descriptor: number
}

export interface Wanted {
  /** Inclusive. */
  readonly start: number
  readonly end: number
  /** The bytes that are yielded; default: all. */
  readonly only?: ByteRange
  /** The bytes are compared with it before the last block is yielded (I-30). */
  readonly expected?: ExpectedDigest | undefined
  readonly onVerified?: () => void
  /** Is false when the consumer gets copies, and the read holds no block while the consumer uses one. */
  readonly lends: boolean
}

/** The digest of all bytes from start to end, in lower-case hex. `blocks`: see BlockChecksums; the first byte is that of a block. */
interface ExpectedDigest {
  readonly name: 'sha256' | 'blocks'
  readonly hex: string
}

export interface FileBlocks extends AsyncDisposable {
  /** Call once. A lent block is valid until the next is requested or the read ends. @throws DamagedBlob, or an error of the disk */
  blocks(): AsyncGenerator<Uint8Array, void, void>
}

export type TransferMemory = {
  readonly transfers: MemoryUse & { readonly waiting: number }
  readonly hashing_threads: MemoryUse
}
