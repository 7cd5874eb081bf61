import { extname } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { startThread } from '../process/start-thread.ts'
import { bindParams, type CompiledStatement, compileStatement } from './compile-statement.ts'
import type { Reader } from './database.ts'
import { DatabaseError } from './database-error.ts'
import type { ReadReply, ReadRequest } from './reading-worker.ts'
import type { Statement } from './statement.ts'

/** How long a statement waits for a lock held by another process. */
const lockWaitMs = 5000
/** Megabytes. The rows of one result are on the heap together. */
const heapLimits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 }
/** Statements that wait for the thread. */
const waitingMax = 100

interface Waiting {
  resolve(result: unknown): void
  reject(error: Error): void
}

/**
 * Reads of an SQLite file on a thread with a read-only connection, so that the scan of a whole table does not block the event loop. Each
 * statement sees the rows committed before it. Errors name the file.
 */
export class ReadingThread implements Reader, Disposable {
  readonly #path: string
  readonly #worker: Worker
  readonly #compiled = new Map<Statement, CompiledStatement>()
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0
  #ended: Error | undefined

  constructor(path: string) {
    this.#path = path
    // The worker has this file's extension, .ts as source or .js when built.
    this.#worker = startThread(new URL(`./reading-worker${extname(import.meta.url)}`, import.meta.url), {
      name: 'database-reader',
      workerData: { path, lockWaitMs },
      resourceLimits: heapLimits,
    })
    this.#worker.on('message', (reply: ReadReply) => this.#settle(reply))
    this.#worker.on('error', (error) => this.#end(error))
    this.#worker.on('exit', () => this.#end(new Error('the reading thread ended')))
    this.#worker.unref()
  }

  get isOpen(): boolean {
    return this.#ended === undefined
  }

  get(statement: Statement, params?: unknown): never {
    return this.#send('get', statement, params) as never
  }

  all(statement: Statement, params?: unknown): never {
    return this.#send('all', statement, params) as never
  }

  /** Ends running statements with this reason. */
  stop(reason: Error): void {
    this.#end(reason)
  }

  [Symbol.dispose](): void {
    this.#end(new Error('the reading thread is closed'))
  }

  async #send(method: ReadRequest['method'], statement: Statement, params: unknown): Promise<unknown> {
    if (this.#ended) throw this.#ended
    if (this.#waiting.size >= waitingMax) throw new Error(`more than ${waitingMax} statements wait for the reading thread`)
    const compiled = this.#compile(statement)
    const request: ReadRequest = { id: ++this.#lastId, method, sql: compiled.sql, values: bindParams(compiled, params ?? {}, 'sqlite') }
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#waiting.set(request.id, { resolve, reject })
    this.#worker.ref()
    this.#worker.postMessage(request)
    return promise
  }

  #compile(statement: Statement): CompiledStatement {
    const compiled = this.#compiled.get(statement) ?? compileStatement(statement, 'sqlite')
    this.#compiled.set(statement, compiled)
    return compiled
  }

  #settle(reply: ReadReply): void {
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    // An idle thread does not keep the process alive.
    if (this.#waiting.size === 0) this.#worker.unref()
    if ('error' in reply) {
      waiting?.reject(new DatabaseError(this.#path, reply.code ?? 'SQLITE_ERROR', new Error(reply.error)))
    } else waiting?.resolve(reply.result)
  }

  #end(reason: Error): void {
    if (this.#ended) return
    this.#ended = reason
    for (const { reject } of this.#waiting.values()) reject(reason)
    this.#waiting.clear()
    void this.#worker.terminate()
  }
}
