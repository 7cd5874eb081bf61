import { Readable } from 'node:stream'

/** Buffer of a slow reader; further frames are dropped, which shows as a gap in their numbers. */
export const framesWaitingMax = 32

/** The frames of one client. It never blocks the publisher, and its buffer is bounded. */
export class EventStream extends Readable {
  readonly #waiting: string[] = []
  #isWanted = false
  #isEnding = false

  constructor() {
    // Zero: frames are buffered here, where they are counted, and not in the stream too.
    super({ highWaterMark: 0 })
  }

  /** Buffers the frame, or drops it when the buffer is full. */
  offer(frame: string): void {
    if (this.#isEnding || this.#waiting.length >= framesWaitingMax) return
    this.#waiting.push(frame)
    this.#flush()
  }

  /** Delivers the buffered frames, then ends. */
  finish(): void {
    this.#isEnding = true
    this.#flush()
  }

  override _read(): void {
    this.#isWanted = true
    this.#flush()
  }

  #flush(): void {
    while (this.#isWanted && this.#waiting.length > 0) this.#isWanted = this.push(this.#waiting.shift())
    if (this.#isEnding && this.#waiting.length === 0 && !this.readableEnded) this.push(null)
  }
}
