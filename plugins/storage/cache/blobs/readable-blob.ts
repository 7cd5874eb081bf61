import type { ByteRange, ReadOptions } from '../../contract.ts'
import type { Disk } from '../files/disk.ts'
import type { Transfers } from '../transfer/transfers.ts'
import type { CheckedRange } from '../verification/block-checksums.ts'
import type { RecentVerifications } from '../verification/recent-verifications.ts'

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
