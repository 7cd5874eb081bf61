import { Readable } from 'node:stream'

/** Frames that wait for a slow reader; further ones are lost, and the gap in the numbers tells. */
export const framesWaitingMax = 32

/** One watcher's stream of frames. It never holds up whoever announces, and never grows. */
export class EventStream extends Readable {
  readonly #waiting: string[] = []
  #isWanted = false
  #isEnding = false

  constructor() {
    // Zero: frames wait here, where they are counted, and not in a second buffer.
    super({ highWaterMark: 0 })
  }

  /** Takes the frame or drops it. */
  offer(frame: string): void {
    if (this.#isEnding || this.#waiting.length >= framesWaitingMax) return
    this.#waiting.push(frame)
    this.#flush()
  }

  /** What waits is still delivered. */
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
