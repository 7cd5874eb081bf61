import { SvcError } from '#kernel'
import type { ExpectedBlob } from '../../catalog/cached/cache-entry-store.ts'
import { type ByteRange, contentErrors, type ReadOptions } from '../../contract.ts'
import { type Disk, isPassing } from '../files/disk.ts'
import type { FileBlocks, Transfers, Wanted } from '../transfer/transfers.ts'
import { BlockChecksums, type CheckedRange, checkedBytes, checkedRange } from '../verification/block-checksums.ts'
import type { RecentVerifications } from '../verification/recent-verifications.ts'
import { busyDisk, DamagedBlob, UnreadableBlob } from '../verification/whole-read.ts'

/** The bytes of one blob. Call `read` at most once; disposing ends the read. */
export interface ReadableBlob extends AsyncDisposable {
  /**
   * Bytes [start, end] inclusive, the whole blob by default. A read of wrong bytes throws DamagedBlob before its last block (I-30). Throws
   * UnreadableBlob when the file cannot be read.
   */
  read(range?: ByteRange, options?: ReadOptions): AsyncIterable<Uint8Array>
  /** The whole blob, when it is in memory. */
  readonly bytes?: Uint8Array
}

/** See BlockChecksums. */
export interface RecordedChecksums {
  /** A range of those of a file. Undefined when none are recorded. */
  find(blobId: string, place: CheckedRange['place']): Promise<Uint8Array | undefined>
  /** Records those of a whole file. Errors are logged. */
  record(blobId: string, checksums: Uint8Array): Promise<void>
}

export interface BlobReaderDeps {
  readonly disk: Disk
  readonly transfers: Pick<Transfers, 'read'>
  readonly checksums: RecordedChecksums
  /** Absent: every whole read is verified. */
  readonly verifications?: RecentVerifications
}

/** Bytes of a range whose checksums are in memory together. */
const windowBytes = 64 * 1024 * 1024

type Blocks = AsyncGenerator<Uint8Array, void, void>
/** The file is read further after these bytes. Default: it is closed, in the same generator, because each around another costs time. */
type KeepOpen = 'keepOpen'

/**
 * An open cached file. An unlink does not interrupt the read. A whole read is compared with the SHA-256, a range with the checksums of the
 * blocks that it is in, unless the unchanged file was verified recently.
 */
export class FileRead implements ReadableBlob {
  readonly #deps: BlobReaderDeps
  readonly #descriptor: number
  readonly #stamp: string
  readonly #expected: ExpectedBlob
  #reading: FileBlocks | undefined
  #closing: Promise<void> | undefined

  constructor(deps: BlobReaderDeps, file: { readonly descriptor: number; readonly stamp: string }, expected: ExpectedBlob) {
    this.#deps = deps
    this.#descriptor = file.descriptor
    this.#stamp = file.stamp
    this.#expected = expected
  }

  /** The file is closed at the end of the read. */
  read(range?: ByteRange, { lends = false }: ReadOptions = {}): AsyncIterable<Uint8Array> {
    const { blobId, length, sha256 } = this.#expected
    const wanted = { start: range?.start ?? 0, end: Math.min(range?.end ?? length - 1, length - 1), lends }
    if (wanted.start > wanted.end || this.#deps.verifications?.has(blobId, this.#stamp)) return this.#readBlocks(wanted)
    if (wanted.start > 0 || wanted.end < length - 1) return this.#readPart(wanted)
    return this.#readBlocks(sha256 === null ? wanted : { ...wanted, ...this.#expectedSha256(sha256) })
  }

  /** Ends the read and closes the file. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** Reads in windows, so that the checksums of a long range take little memory. */
  async *#readPart({ start, end, lends }: Wanted): Blocks {
    try {
      for (let at = start; at <= end; ) {
        const last = Math.min(end, at - (at % windowBytes) + windowBytes - 1)
        yield* this.#readWindow({ start: at, end: last, lends })
        at = last + 1
      }
    } finally {
      await this[Symbol.asyncDispose]()
    }
  }

  /** Verifies the whole file before the first byte if no checksums are recorded. */
  async *#readWindow(wanted: Wanted): Blocks {
    const { verifications, checksums } = this.#deps
    const { blobId, length, sha256 } = this.#expected
    const range = checkedRange(wanted, length)
    if (!verifications?.has(blobId, this.#stamp, range.blocks)) {
      const recorded = await checksums.find(blobId, range.place)
      if (recorded?.length === range.place.bytes) {
        yield* this.#readRecorded(wanted, range, Buffer.from(recorded).toString('hex'))
        return
      }
      if (sha256 !== null) await this.#verify(sha256)
    }
    yield* this.#readBlocks(wanted, 'keepOpen')
  }

  /** The row may be wrong: a file is damaged only if its SHA-256 differs too. */
  async *#readRecorded(only: Wanted, { start, end, blocks }: CheckedRange, hex: string): Blocks {
    const { blobId, sha256 } = this.#expected
    const onVerified = () => this.#deps.verifications?.keep(blobId, this.#stamp, blocks)
    const checked: Wanted = { start, end, only, expected: { name: 'blocks', hex }, onVerified, lends: only.lends }
    let hasSent = false
    try {
      for await (const bytes of this.#readBlocks(checked, 'keepOpen')) {
        hasSent = true
        yield bytes
      }
      return
    } catch (error) {
      if (!(error instanceof DamagedBlob) || sha256 === null) throw error
      await this.#verify(sha256)
      if (hasSent) throw new UnreadableBlob('the recorded checksums of the cached file were not those of its bytes', { cause: error })
    }
    yield* this.#readBlocks(only, 'keepOpen')
  }

  /** Compares the whole file, and records the checksums of its blocks, which its row lacks. @throws DamagedBlob */
  async #verify(sha256: string): Promise<void> {
    const { verifications, checksums } = this.#deps
    const { blobId, length } = this.#expected
    const verify = async () => {
      const blocks = new BlockChecksums()
      const whole = { start: 0, end: length - 1, lends: true, ...this.#expectedSha256(sha256) }
      for await (const block of this.#readBlocks(whole, 'keepOpen')) blocks.add(block)
      if (length > checkedBytes) await checksums.record(blobId, blocks.toBytes())
    }
    await (verifications ? verifications.verifyOnce(blobId, this.#stamp, verify) : verify())
  }

  readonly #onVerified = (): void => this.#deps.verifications?.keep(this.#expected.blobId, this.#stamp)

  #expectedSha256(hex: string): Pick<Wanted, 'expected' | 'onVerified'> {
    return { expected: { name: 'sha256', hex }, onVerified: this.#onVerified }
  }

  async *#readBlocks(wanted: Wanted, atEnd?: KeepOpen): Blocks {
    try {
      if (this.#closing) throw new Error('the object was closed during the read')
      this.#reading = this.#deps.transfers.read({ disk: this.#deps.disk, descriptor: this.#descriptor }, wanted)
      yield* this.#reading.blocks()
    } catch (error) {
      throw this.#faultOf(error)
    } finally {
      if (!atEnd) await this[Symbol.asyncDispose]()
    }
  }

  #faultOf(error: unknown): unknown {
    if (error instanceof DamagedBlob || error instanceof SvcError) return error
    if (isPassing(error)) return busyDisk(error)
    const message = `the cached file cannot be read: ${(error as Error).message}`
    // A closed read is no fault of the file.
    return this.#closing ? contentErrors.content_unavailable({ message, cause: error }) : new UnreadableBlob(message, { cause: error })
  }

  async #close(): Promise<void> {
    // Another file could get the descriptor number.
    await this.#reading?.[Symbol.asyncDispose]()
    await this.#deps.disk.close(this.#descriptor)
  }
}
