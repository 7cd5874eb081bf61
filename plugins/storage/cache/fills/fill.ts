/** @walk read 7: writes the download like an upload and publishes it after its SHA-256 matched */
import { type Clock, type Database, defineProbe, type Log, type Tx, untilAborted } from '#kernel'
import type { BlobRef } from '../../catalog/cached/cache-entry-store.ts'
import { type OwnSha256, placeFill } from '../../catalog/cached/fill-store.ts'
import { lentBytesMin, type NeededContent, type OpenedObject } from '../../contract.ts'
import { type WrittenBlob, writeBlob } from '../blobs/blob-writer.ts'
import { writeRows } from '../blobs/write-rows.ts'
import type { Loan } from '../capacity/reservation.ts'
import type { BlobFolders } from '../files/blob-folders.ts'
import type { Disk } from '../files/disk.ts'
import type { Transfers } from '../transfer/transfers.ts'
import { DamagedBlob } from '../verification/whole-read.ts'
import { type FillLimits, isWorthFinishing } from './fill-policy.ts'
import type { FillRoom } from './fill-room.ts'
import { GrowingFile } from './growing-file.ts'

const committing = defineProbe('storage.fill.committing')
const committed = defineProbe('storage.fill.committed')
const probes = {
  created: defineProbe('storage.fill.created'),
  written: defineProbe('storage.fill.written'),
  synced: defineProbe('storage.fill.synced'),
  folderSynced: defineProbe('storage.fill.folder-synced'),
}

/** Since the start. */
export interface FillCounts {
  started: number
  finished: number
  abandoned: number
  bytes: number
}

export interface FillDeps {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly disk: Disk
  readonly transfers: Pick<Transfers, 'create' | 'hash'>
  readonly folders: BlobFolders
  readonly room: Pick<FillRoom, 'take'>
  readonly limits: FillLimits
  readonly counts: FillCounts
  discard(blobs: readonly BlobRef[]): Promise<void>
  /** The bytes of a lost content are cached again. */
  onRecovered(tx: Tx, content: NeededContent): Promise<void>
}

interface FilledContent {
  readonly contentId: number
  readonly size: number
  /** Lower-case hex; null when not recorded. */
  readonly sha256: string | null
}

/**
 * One download of a content into a new file of the cache, for all its readers. The file is written like that of an upload, and becomes the
 * cached file of the content after the SHA-256 of all bytes matched (I-30). Without a recorded SHA-256 the source must prove the bytes, and
 * that of the file is recorded for later reads.
 */
export class Fill {
  readonly content: FilledContent
  readonly file = new GrowingFile(() => this.#onDamage())
  readonly #deps: FillDeps
  readonly #stop = new AbortController()
  #begun: Promise<boolean> | undefined
  #done: Promise<void> = Promise.resolve()
  #receivedBytes = 0
  #readers = 0

  constructor(deps: FillDeps, content: FilledContent) {
    this.#deps = deps
    this.content = content
  }

  /** Whether readers can follow the file; undefined before `start`. */
  get begun(): Promise<boolean> | undefined {
    return this.#begun
  }

  get isAbandoned(): boolean {
    return this.#stop.signal.aborted
  }

  /** Resolves when the file is published or removed. */
  get done(): Promise<void> {
    return this.#done
  }

  get readers(): number {
    return this.#readers
  }

  /** Counts a reader until it is disposed. */
  addReader(): Disposable {
    this.#readers += 1
    let isHere = true
    return {
      [Symbol.dispose]: () => {
        if (!isHere) return
        isHere = false
        this.#readers -= 1
        if (this.#readers === 0 && !isWorthFinishing(this.#receivedBytes, this.content.size, this.#deps.limits))
          this.abandon('no reader is left')
      },
    }
  }

  /** Begins the download if the cache has room for it, with the opened source. */
  start(open: () => Promise<OpenedObject>): void {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#begun = promise
    this.#done = this.#run(open, resolve).finally(() => {
      this.file.fail()
      resolve(false)
    })
  }

  /** Ends the download. Its readers continue with bytes from the source. A complete file is still published. */
  abandon(reason: string): void {
    if (this.#begun === undefined || this.file.isComplete || this.isAbandoned) return
    this.#stop.abort(new Error(reason))
    this.file.fail()
  }

  #onDamage(): void {
    if (this.isAbandoned) return
    const fields = { content: this.content.contentId }
    this.#deps.log.error('a cached file is damaged while it is filled; reads continue from the source; check the disk of cache.dir', fields)
    this.abandon('its file is damaged')
  }

  async #run(open: () => Promise<OpenedObject>, onBegun: (isBegun: boolean) => void): Promise<void> {
    const { room, counts, log } = this.#deps
    const { contentId, size } = this.content
    let hasStarted = false
    try {
      const giveBack = (): Promise<void> => {
        this.abandon('an upload needs the space')
        return this.#done
      }
      using loan = await room.take({ contentId, bytes: size, giveBack })
      if (!loan || this.isAbandoned) return
      hasStarted = true
      counts.started += 1
      onBegun(true)
      const blob = await this.#download(open)
      if (await this.#publish(this.content.sha256 === null ? { ...blob, ownSha256: blob.sha256 } : blob, loan)) counts.finished += 1
      else counts.abandoned += 1
    } catch (error) {
      if (hasStarted) counts.abandoned += 1
      const fields = { content: contentId, error }
      if (error instanceof DamagedBlob) log.error('a source of bytes sent other bytes than the content', fields)
      else log[this.isAbandoned ? 'debug' : 'info']('cache not filled; reads continue from the source', fields)
    }
  }

  async #download(open: () => Promise<OpenedObject>): Promise<WrittenBlob> {
    const { disk, transfers, folders, counts } = this.#deps
    const { size, sha256 } = this.content
    const { signal } = this.#stop
    await using source = await open()
    if (sha256 === null && !source.isProved) throw new Error('the source does not prove the bytes of a content without a recorded SHA-256')
    using _rate = this.#watchRate()
    return await writeBlob({ disk, transfers }, folders, {
      size,
      follower: this.file,
      body: untilAborted(source.read(undefined, { lends: size >= lentBytesMin }), signal),
      onBytes: (total) => {
        if (total > size) throw wrongBytes(this.content)
        counts.bytes += total - this.#receivedBytes
        this.#receivedBytes = total
        return undefined
      },
      onEnd: (digests) => {
        const isRight = sha256 === null ? this.#receivedBytes === size : digests.sha256 === sha256
        if (!isRight) throw wrongBytes(this.content)
        signal.throwIfAborted()
        this.file.complete()
      },
      signal,
      probes,
    })
  }

  #watchRate(): Disposable {
    const { window, bytesPerSecond } = this.#deps.limits
    let before = 0
    const timer = setInterval(() => {
      if (this.#receivedBytes - before < (bytesPerSecond * window) / 1000) this.abandon('the source is below the minimum rate')
      before = this.#receivedBytes
    }, window)
    timer.unref()
    return { [Symbol.dispose]: () => clearInterval(timer) }
  }

  /** Returns whether the file is the cached one now. */
  async #publish(blob: WrittenBlob & OwnSha256, loan: Loan): Promise<boolean> {
    const { database, clock, discard, onRecovered } = this.#deps
    const { contentId } = this.content
    await committing()
    const isPlaced = await writeRows({ database, cache: this.#deps }, [blob], async (tx) => {
      const placed = await placeFill(tx, { contentId, blob, nowMs: clock.now() })
      if (placed?.recovered) await onRecovered(tx, placed.recovered)
      // I-23: counted also when the answer to the commit comes late.
      if (placed) tx.afterCommit(() => loan.keep(placed.addedBytes))
      return placed !== undefined
    })
    await committed()
    if (!isPlaced) await discard([blob])
    return isPlaced
  }
}

const wrongBytes = ({ size, sha256 }: FilledContent): Error =>
  sha256 === null ? new Error(`the source has another length than ${size} bytes`) : new DamagedBlob(sha256)
