import { availableParallelism } from 'node:os'
import type { Worker } from 'node:worker_threads'
import type { Log } from '#kernel'
import { contentErrors } from '../../contract.ts'
import type { DigestName } from '../verification/digests.ts'
import type { RunningDigest } from '../verification/whole-read.ts'
import type { Block, BodyMemory } from './body-memory.ts'
import { DigestThread, startDigestWorker, threadHeapBytesMax } from './digest-thread.ts'

/** More threads than this gain nothing: the main thread receives and sends the bytes. */
const threadsMax = 4

/** Digests of a stream of blocks. Disposing abandons them. */
export interface RunningDigests extends Disposable {
  /** Resolves when the bytes, which are a part of a block, are no longer needed. Never rejects: `end` reports errors. */
  add(bytes: Block): Promise<void>
  /** Digests in lower-case hex, by name. Rejects when a thread ended. */
  end(): Promise<ReadonlyMap<DigestName, string>>
}

interface DigestPoolDeps {
  readonly log: Log
  readonly memory: BodyMemory
  /** Default: as many as there are processors, at most `threadsMax`. */
  readonly threads?: number
  readonly startWorker?: (memory: SharedArrayBuffer) => Worker
}

/** Hashes large transfers on worker threads, in the memory that the blocks are in. A thread starts on first use. */
export class DigestPool implements AsyncDisposable {
  readonly #deps: DigestPoolDeps
  readonly #threads: (DigestThread | undefined)[]
  #lastId = 0

  constructor(deps: DigestPoolDeps) {
    this.#deps = deps
    this.#threads = Array.from({ length: deps.threads ?? Math.min(availableParallelism(), threadsMax) }, () => undefined)
  }

  /** Each pass is one walk over the bytes, on a thread of its own if there are enough. */
  begin(passes: readonly (readonly DigestName[])[]): RunningDigests {
    const used = this.#leastBusy(passes.length)
    const parts = passes.map((names, at) => ({ id: ++this.#lastId, names, thread: used[at % used.length] as DigestThread }))
    for (const { thread } of parts) thread.streams += 1
    let isDropped = false
    return {
      async add({ byteOffset: at, length }) {
        // The thread would begin the stream again and keep it.
        if (isDropped) return
        await Promise.all(parts.map(({ id, names, thread }) => thread.send({ id, is: 'add', names, at, length })))
      },
      async end() {
        const digests = new Map<DigestName, string>()
        const replies = await Promise.all(parts.map(({ id, thread }) => thread.send({ id, is: 'end' })))
        for (const [at, { names }] of parts.entries()) {
          for (const [place, name] of names.entries()) {
            const digest = replies[at]?.digests?.[place]
            if (digest === undefined) throw threadEnded()
            digests.set(name, digest)
          }
        }
        return digests
      },
      [Symbol.dispose]() {
        isDropped = true
        for (const { id, thread } of parts) {
          thread.streams -= 1
          thread.drop(id)
        }
      },
    }
  }

  /** One digest of one stream. Bytes that are not in a block are copied into blocks. */
  beginOne(name: DigestName): RunningDigest {
    const { memory } = this.#deps
    const digests = this.begin([[name]])
    let fault: unknown
    let isDropped = false
    const addCopies = async (bytes: Uint8Array) => {
      for (let at = 0; at < bytes.length && !isDropped; ) {
        const block = await memory.take()
        const part = bytes.subarray(at, at + block.length)
        block.set(part)
        await digests.add(block.subarray(0, part.length))
        memory.give(block)
        at += part.length
      }
    }
    return {
      async add(bytes) {
        if (fault !== undefined) return
        try {
          await (bytes.buffer === memory.shared ? digests.add(bytes as Block) : addCopies(bytes))
        } catch (error) {
          // No memory for the copies. An abandoned read awaits nothing more: a rejection would end the process.
          fault = error
        }
      },
      async end() {
        if (fault !== undefined) throw fault
        return (await digests.end()).get(name) as string
      },
      [Symbol.dispose]() {
        isDropped = true
        digests[Symbol.dispose]()
      },
    }
  }

  async memory(): Promise<{ readonly budgetBytes: number; readonly usedBytes: number }> {
    const used = await Promise.all(this.#threads.map((thread) => thread?.heapBytes() ?? 0))
    return { budgetBytes: this.#threads.length * threadHeapBytesMax, usedBytes: used.reduce((sum, bytes) => sum + bytes, 0) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread?.close()))
  }

  #leastBusy(count: number): readonly DigestThread[] {
    const threads = this.#threads.map((thread, place) => thread ?? this.#start(place))
    return threads.sort((one, other) => one.streams - other.streams).slice(0, count)
  }

  #start(place: number): DigestThread {
    const { log, memory, startWorker = startDigestWorker } = this.#deps
    const onEnd = () => {
      this.#threads[place] = undefined
    }
    const thread = new DigestThread(startWorker(memory.shared), { log, onEnd })
    this.#threads[place] = thread
    return thread
  }
}

const threadEnded = (): Error =>
  contentErrors.content_unavailable({ message: 'the bytes could not be hashed: a hashing thread ended; retry the request' })
