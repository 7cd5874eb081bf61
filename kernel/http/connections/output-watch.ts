import type { Socket } from 'node:net'

/** A member of Node's socket that its types omit: the bytes that the system has not taken yet. */
interface WrittenSocket extends Socket {
  readonly _handle?: { readonly writeQueueSize?: number } | null
}

/** Tells how long a client has taken none of the bytes that were written for it. */
export class OutputWatch {
  /** Bytes taken, and those left of the write that is on its way. */
  #taken = -1
  #queued = 0
  #sinceMs = 0

  stalledMs(socket: Socket, nowMs: number): number {
    const left = socket.writableLength
    if (left === 0) {
      this.#taken = -1
      return 0
    }
    const taken = socket.bytesWritten - left
    const queued = (socket as WrittenSocket)._handle?.writeQueueSize ?? 0
    if (taken !== this.#taken || queued !== this.#queued) {
      this.#taken = taken
      this.#queued = queued
      this.#sinceMs = nowMs
    }
    return nowMs - this.#sinceMs
  }
}
