import { createHash, type Hash, hash } from 'node:crypto'
import type { ChecksumAlgorithm } from '../contract/checksums.ts'

/** Digests of a body: MD5 for its ETag, SHA-256 for its identity, and the checksum that the client wants. */
export type DigestName = 'md5' | ChecksumAlgorithm

/** MD5 and SHA-256 of a body in chunks. A body of one chunk, the usual small object, takes one call per digest. */
export class Digests {
  #first: Uint8Array | undefined
  #running: { readonly md5: Hash; readonly sha256: Hash } | undefined

  update(chunk: Uint8Array): void {
    if (this.#running === undefined && this.#first === undefined) {
      this.#first = chunk
      return
    }
    if (this.#running === undefined) {
      this.#running = { md5: createHash('md5'), sha256: createHash('sha256') }
      if (this.#first) this.#add(this.#first)
      this.#first = undefined
    }
    this.#add(chunk)
  }

  /** Lower-case hex. Call once. */
  finish(): { readonly md5: string; readonly sha256: string } {
    if (this.#running) return { md5: this.#running.md5.digest('hex'), sha256: this.#running.sha256.digest('hex') }
    const whole = this.#first ?? new Uint8Array(0)
    return { md5: hash('md5', whole), sha256: hash('sha256', whole) }
  }

  #add(chunk: Uint8Array): void {
    this.#running?.md5.update(chunk)
    this.#running?.sha256.update(chunk)
  }
}
