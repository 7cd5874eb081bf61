import { unlessAborted } from '#kernel'
import { type ByteRange, contentErrors, type ObjectVersion, type OpenedObject, type ReadOptions } from '../../contract.ts'
import type { Disk } from '../files/disk.ts'
import type { Transfers } from '../transfer/transfers.ts'
import { DamagedBlob, verifyWhole } from '../verification/whole-read.ts'
import type { Fill } from './fill.ts'
import { beginsFill, type FillLimits, followsFill } from './fill-policy.ts'

const retryAfterSeconds = 10

interface ColdDeps {
  readonly disk: Disk
  readonly transfers: Pick<Transfers, 'hash'>
  readonly limits: FillLimits
}

interface ColdParts {
  readonly version: ObjectVersion
  readonly fill: Fill
  /** Disposed with the object. */
  readonly reader: Disposable
  readonly source: OpenedObject | undefined
  openSource(): Promise<OpenedObject>
  /** Starts the fill, which calls `open` when there is room. */
  start(open: () => Promise<OpenedObject>): void
}

type Wanted = ByteRange & ReadOptions

/** A content that is not cached, read from the file of its fill where that has or soon gets the bytes, and otherwise from its source. */
export class ColdObject implements OpenedObject {
  readonly version: ObjectVersion
  readonly source = 'provider'
  readonly #deps: ColdDeps
  readonly #parts: ColdParts
  readonly #stop = new AbortController()
  #opened: OpenedObject | undefined
  #reading: AsyncGenerator<Uint8Array, void, void> | undefined

  constructor(deps: ColdDeps, parts: ColdParts) {
    this.#deps = deps
    this.#parts = parts
    this.#opened = parts.source
    this.version = parts.version
  }

  read(range?: ByteRange, options?: ReadOptions): AsyncIterable<Uint8Array> {
    this.#reading = this.#read(range, options)
    return this.#reading
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error('the object was closed during the read'))
    this.#parts.reader[Symbol.dispose]()
    await this.#opened?.[Symbol.asyncDispose]()
    // Closes the file. Not awaited: a source may not respond. The error of a closed read concerns no one.
    this.#reading?.return().catch(() => {})
  }

  async *#read(range: ByteRange | undefined, options: ReadOptions = {}): AsyncGenerator<Uint8Array, void, void> {
    const { size } = this.#parts.fill.content
    const wanted = { ...(range ?? { start: 0, end: size - 1 }), ...options }
    if (!(await this.#joins(wanted))) yield* this.#readSource(wanted)
    else if (wanted.start > 0 || wanted.end < size - 1) yield* this.#follow(wanted)
    else yield* this.#followWhole(wanted)
  }

  /** Whether this read follows the fill; starts it if it should. */
  async #joins(wanted: Wanted): Promise<boolean> {
    const { fill, start } = this.#parts
    const { limits } = this.#deps
    const isProvable = fill.content.sha256 !== null || this.#opened?.isProved === true
    if (fill.begun === undefined && isProvable && beginsFill(wanted, fill.content.size, limits)) start(() => this.#giveSource())
    if (fill.begun === undefined || !followsFill(wanted, fill.file.writtenBytes, limits)) return false
    return unlessAborted(fill.begun, this.#stop.signal)
  }

  /** The fill may outlive this object: it disposes the source. */
  async #giveSource(): Promise<OpenedObject> {
    const given = this.#opened
    this.#opened = undefined
    return given && !this.#stop.signal.aborted ? given : this.#parts.openSource()
  }

  /**
   * The bytes are verified like those of a cached file, so that a response with wrong bytes is never complete (I-30). Without a recorded
   * SHA-256 the source has proved them, and the file compares what it returns with what was written.
   */
  async *#followWhole(whole: Wanted): AsyncGenerator<Uint8Array, void, void> {
    const { size: length, sha256 } = this.#parts.fill.content
    if (sha256 === null) {
      yield* this.#follow(whole)
      return
    }
    const blocks = this.#follow(whole, { lends: false })
    try {
      yield* verifyWhole(blocks, { length, sha256 }, () => this.#deps.transfers.hash(length))
    } catch (cause) {
      if (!(cause instanceof DamagedBlob)) throw cause
      const message = `the bytes of '${this.version.key}' are not in the cache, and a source sent other bytes; retry the read`
      throw contentErrors.content_unavailable({ message, retryAfterSeconds, cause })
    }
  }

  /** `fromSource`: a source lends blocks for a shorter time than the file does. */
  async *#follow(wanted: Wanted, fromSource: ReadOptions = wanted): AsyncGenerator<Uint8Array, void, void> {
    const reached = yield* this.#parts.fill.file.follow(this.#deps.disk, wanted, this.#stop.signal)
    if (reached <= wanted.end) yield* this.#readSource({ ...wanted, ...fromSource, start: reached })
  }

  async *#readSource({ start, end, ...options }: Wanted): AsyncGenerator<Uint8Array, void, void> {
    const { signal } = this.#stop
    const { size } = this.#parts.fill.content
    this.#opened ??= await this.#parts.openSource()
    if (signal.aborted) {
      await this.#opened[Symbol.asyncDispose]()
      throw signal.reason
    }
    yield* this.#opened.read(start === 0 && end === size - 1 ? undefined : { start, end }, options)
  }
}
