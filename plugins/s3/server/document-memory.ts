import type { ServerResponse } from 'node:http'
import { defineService } from '#kernel'
import { defineMemoryPart } from '#kernel/system'
import { tooManyRequests } from './admission.ts'
import { requestLimits as limits } from './request-limits.ts'

/** Memory of the XML documents of all requests: what clients send, and large answers until they are written. */
export class DocumentMemory {
  readonly #budgetBytes: number
  readonly #userBytesMax: number
  readonly #bytesByUser = new Map<string, number>()
  #usedBytes = 0

  constructor(budgetBytes: number = limits.documentBytesMax) {
    this.#budgetBytes = budgetBytes
    this.#userBytesMax = (budgetBytes * limits.documentPerUserPercent) / 100
  }

  stats(): { readonly budgetBytes: number; readonly usedBytes: number } {
    return { budgetBytes: this.#budgetBytes, usedBytes: this.#usedBytes }
  }

  /**
   * Takes bytes for a request of the user that holds `heldBytes` already. False when other requests leave too little: a single request may
   * always take its bytes, and the only one of a user may take what is free.
   */
  take(user: string, heldBytes: number, bytes: number): boolean {
    const userBytes = this.#bytesByUser.get(user) ?? 0
    const isAlone = this.#usedBytes === heldBytes
    const isFree = this.#usedBytes + bytes <= this.#budgetBytes
    const hasShare = userBytes === heldBytes || userBytes + bytes <= this.#userBytesMax
    if (!isAlone && !(isFree && hasShare)) return false
    this.#add(user, bytes)
    return true
  }

  giveBack(user: string, bytes: number): void {
    this.#add(user, -bytes)
  }

  #add(user: string, bytes: number): void {
    this.#usedBytes += bytes
    const userBytes = (this.#bytesByUser.get(user) ?? 0) + bytes
    if (userBytes === 0) this.#bytesByUser.delete(user)
    else this.#bytesByUser.set(user, userBytes)
  }
}

/** The part of one request. */
export class HeldMemory {
  readonly #memory: DocumentMemory
  /** Whose share it is: the user of the first bytes. */
  #user = ''
  #bytes = 0

  constructor(memory: DocumentMemory) {
    this.#memory = memory
  }

  get isEmpty(): boolean {
    return this.#bytes === 0
  }

  /** Throws SlowDown. */
  take(bytes: number, user: string): void {
    if (this.isEmpty) this.#user = user
    if (!this.#memory.take(this.#user, this.#bytes, bytes)) throw tooManyRequests()
    this.#bytes += bytes
  }

  /** For a request that has ended: at once, or when its response was written or its connection closed. */
  giveBackAfter(response: ServerResponse): void {
    if (this.isEmpty) return
    if (response.destroyed) this.#giveBack()
    else response.once('close', () => this.#giveBack())
  }

  #giveBack(): void {
    this.#memory.giveBack(this.#user, this.#bytes)
    this.#bytes = 0
  }
}

export const documentMemory = defineService<DocumentMemory>('s3.document-memory')

export const documentMemoryPart = defineMemoryPart({
  name: 'documents',
  uses: { documentMemory },
  read: ({ documentMemory }) => ({ documents: documentMemory.stats() }),
})
