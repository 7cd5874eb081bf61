import { RunningBodyDigests } from '../cache/verification/digests.ts'
import type { PutObject } from '../contract.ts'

/** Reads a body in parts, one after the other, and computes the digests of all its bytes. */
export class BodyParts {
  readonly digests: RunningBodyDigests
  readonly #body: AsyncIterator<Uint8Array>
  #size = 0
  #rest: Uint8Array | undefined
  #isEnded = false

  private constructor(body: AsyncIterable<Uint8Array>, digests: RunningBodyDigests) {
    this.#body = body[Symbol.asyncIterator]()
    this.digests = digests
  }

  static async of({ body, checksum }: Pick<PutObject, 'body' | 'checksum'>): Promise<BodyParts> {
    return new BodyParts(body, await RunningBodyDigests.start(checksum))
  }

  /** Bytes read so far. */
  get size(): number {
    return this.#size
  }

  /** Waits for the next byte or the end of the body. */
  async hasMore(): Promise<boolean> {
    while (this.#rest === undefined && !this.#isEnded) {
      const { value, done } = await this.#body.next()
      if (done) this.#isEnded = true
      else if (value.length > 0) this.#rest = value
    }
    return this.#rest !== undefined
  }

  async *next(bytesMax: number): AsyncGenerator<Uint8Array, void, void> {
    for (let left = bytesMax; left > 0 && (await this.hasMore()); ) {
      const rest = this.#rest ?? new Uint8Array(0)
      const chunk = rest.subarray(0, left)
      this.#rest = chunk.length < rest.length ? rest.subarray(chunk.length) : undefined
      left -= chunk.length
      this.#size += chunk.length
      this.digests.update(chunk)
      yield chunk
    }
  }

  /** Ends the body before its last byte was read. */
  async close(): Promise<void> {
    if (!this.#isEnded) await this.#body.return?.()
  }
}
