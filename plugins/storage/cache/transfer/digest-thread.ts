import { extname } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { type Log, startThread } from '#kernel'
import type { DigestReply, DigestRequest } from './digest-worker.ts'

/** Megabytes. The thread keeps no bytes of its own. */
const heapLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 }
export const threadHeapBytesMax = (heapLimits.maxYoungGenerationSizeMb + heapLimits.maxOldGenerationSizeMb) * 1024 * 1024

// The worker has this file's extension, .ts as source or .js when built.
export const startDigestWorker = (memory: SharedArrayBuffer): Worker =>
  startThread(new URL(`./digest-worker${extname(import.meta.url)}`, import.meta.url), {
    name: 'digest-worker',
    workerData: memory,
    resourceLimits: heapLimits,
  })

type Unnumbered<R> = R extends unknown ? Omit<R, 'number'> : never

/** One hashing thread. Once it has ended, it answers nothing: another thread does not have the earlier bytes. */
export class DigestThread {
  readonly #worker: Worker
  /** Resolvers of the outstanding requests, by number. */
  readonly #pending = new Map<number, (reply: DigestReply | undefined) => void>()
  #lastNumber = 0
  #hasEnded = false
  streams = 0

  constructor(worker: Worker, { log, onEnd }: { readonly log: Log; onEnd(): void }) {
    this.#worker = worker
    // The transfers themselves keep the process alive.
    worker.unref()
    worker.on('message', (reply: DigestReply) => this.#settle(reply.number, reply))
    // The exit event follows and fails the outstanding requests.
    worker.on('error', (error) => log.error('hashing thread failed; the next large transfer starts a new one', { error }))
    worker.on('exit', () => {
      this.#hasEnded = true
      for (const number of [...this.#pending.keys()]) this.#settle(number, undefined)
      onEnd()
    })
  }

  /** Resolves to undefined when the thread has ended. */
  send(request: Unnumbered<Exclude<DigestRequest, { is: 'drop' }>>): Promise<DigestReply | undefined> {
    if (this.#hasEnded) return Promise.resolve(undefined)
    const number = ++this.#lastNumber
    const { promise, resolve } = Promise.withResolvers<DigestReply | undefined>()
    this.#pending.set(number, resolve)
    this.#worker.postMessage({ ...request, number })
    return promise
  }

  drop(id: number): void {
    if (!this.#hasEnded) this.#worker.postMessage({ id, is: 'drop' } satisfies DigestRequest)
  }

  /** 0 when the thread has ended. */
  async heapBytes(): Promise<number> {
    try {
      return (await this.#worker.getHeapStatistics()).total_heap_size
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_NOT_RUNNING') return 0
      throw error
    }
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  #settle(number: number, reply: DigestReply | undefined): void {
    const resolve = this.#pending.get(number)
    this.#pending.delete(number)
    resolve?.(reply)
  }
}
