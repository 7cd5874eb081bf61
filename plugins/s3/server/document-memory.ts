import type { ServerResponse } from 'node:http'
import { defineService } from '#kernel'
import { defineMemoryPart } from '#plugins/storage'
import { S3Error } from '../wire/s3-error.ts'

const budgetBytesDefault = 128 * 1024 * 1024

/** Memory of the XML documents of all requests: what clients send, and large answers until they are written. */
export class DocumentMemory {
  readonly #budgetBytes: number
  #usedBytes = 0

  constructor(budgetBytes = budgetBytesDefault) {
    this.#budgetBytes = budgetBytes
  }

  stats(): { readonly budgetBytes: number; readonly usedBytes: number } {
    return { budgetBytes: this.#budgetBytes, usedBytes: this.#usedBytes }
  }

  /** False when other requests leave too little. A single request may always take its bytes. */
  take(bytes: number): boolean {
    if (this.#usedBytes > 0 && this.#usedBytes + bytes > this.#budgetBytes) return false
    this.#usedBytes += bytes
    return true
  }

  giveBack(bytes: number): void {
    this.#usedBytes -= bytes
  }
}

/** The part of one request. */
export class HeldMemory {
  readonly #memory: DocumentMemory
  #bytes = 0

  constructor(memory: DocumentMemory) {
    this.#memory = memory
  }

  get isEmpty(): boolean {
    return this.#bytes === 0
  }

  /** Throws SlowDown. */
  take(bytes: number): void {
    if (!this.#memory.take(bytes)) throw new S3Error('SlowDown', { headers: { 'retry-after': '1' } })
    this.#bytes += bytes
  }

  /** For a request that has ended: at once, or when its response was written or its connection closed. */
  giveBackAfter(response: ServerResponse): void {
    if (this.isEmpty) return
    if (response.destroyed) this.#giveBack()
    else response.once('close', () => this.#giveBack())
  }

  #giveBack(): void {
    this.#memory.giveBack(this.#bytes)
    this.#bytes = 0
  }
}

export const documentMemory = defineService<DocumentMemory>('s3.document-memory')

export const documentMemoryPart = defineMemoryPart({
  name: 'documents',
  uses: { documentMemory },
  read: ({ documentMemory }) => documentMemory.stats(),
})
