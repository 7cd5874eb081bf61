import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Log } from '#kernel'
import { contentErrors } from '../contract.ts'
import type { DigestReply, DigestRequest } from './digest-worker.ts'
import { beginDigest, type RunningDigest } from './whole-read.ts'

/** Shared memory for one block. Slots are reused, because V8 collects shared memory too late. */
const slotBytes = 1024 * 1024
/** Concurrent reads beyond this number are hashed on the main thread. */
const slotsMax = 32

// The worker has this file's extension, .ts as source or .js when built. Flags of the main thread may not work in a worker.
const startDigestWorker = (): Worker =>
  new Worker(new URL(`./digest-worker${extname(import.meta.url)}`, import.meta.url), { name: 'digest-worker', execArgv: [] })

/** Hashes large reads on a worker thread; the event loop only copies the blocks. The thread starts on first use. */
export class DigestThread implements AsyncDisposable {
  readonly #log: Log
  readonly #startWorker: () => Worker
  #worker: Worker | undefined
  /** Resolvers of the outstanding requests, by digest id. */
  readonly #pending = new Map<number, (reply: DigestReply | undefined) => void>()
  readonly #freeSlots: Uint8Array[] = []
  #slots = 0
  #lastId = 0
  #isClosed = false

  constructor(log: Log, startWorker = startDigestWorker) {
    this.#log = log
    this.#startWorker = startWorker
  }

  begin(): RunningDigest {
    const slot = this.#isClosed ? undefined : this.#takeSlot()
    if (slot === undefined) return beginDigest()
    this.#worker ??= this.#start()
    const id = ++this.#lastId
    const worker = this.#worker
    const send = (request: DigestRequest) => this.#send(worker, request)
    return {
      async add(block) {
        for (let at = 0; at < block.length; at += slotBytes) {
          const part = block.subarray(at, at + slotBytes)
          slot.set(part)
          await send({ id, block: slot.subarray(0, part.length) })
        }
      },
      async end() {
        const reply = await send({ id, is: 'end' })
        if (reply?.sha256 !== undefined) return reply.sha256
        throw contentErrors.content_unavailable({
          message: 'the cached bytes could not be hashed: the hashing thread ended; retry the read',
        })
      },
      [Symbol.dispose]: () => {
        this.#pending.delete(id)
        if (worker === this.#worker) worker.postMessage({ id, is: 'drop' } satisfies DigestRequest)
        this.#freeSlots.push(slot)
      },
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    await this.#worker?.terminate()
  }

  #takeSlot(): Uint8Array | undefined {
    const free = this.#freeSlots.pop()
    if (free || this.#slots >= slotsMax) return free
    this.#slots += 1
    return new Uint8Array(new SharedArrayBuffer(slotBytes))
  }

  /** Resolves to undefined when the thread ended: a new thread does not have the earlier blocks. */
  #send(worker: Worker, request: DigestRequest): Promise<DigestReply | undefined> {
    if (worker !== this.#worker) return Promise.resolve(undefined)
    const { promise, resolve } = Promise.withResolvers<DigestReply | undefined>()
    this.#pending.set(request.id, resolve)
    worker.postMessage(request)
    return promise
  }

  #start(): Worker {
    const worker = this.#startWorker()
    // The reads themselves keep the process alive.
    worker.unref()
    worker.on('message', (reply: DigestReply) => this.#settle(reply.id, reply))
    // The exit event follows and fails the outstanding requests.
    worker.on('error', (error) => this.#log.error('hashing thread failed; the next large read starts a new one', { error }))
    worker.on('exit', () => {
      this.#worker = undefined
      for (const id of [...this.#pending.keys()]) this.#settle(id, undefined)
    })
    return worker
  }

  #settle(id: number, reply: DigestReply | undefined): void {
    const resolve = this.#pending.get(id)
    this.#pending.delete(id)
    resolve?.(reply)
  }
}
