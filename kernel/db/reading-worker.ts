/** Thread of `ReadingThread`: runs statements on a read-only connection of its own. */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { SqlValue } from './statement.ts'

export interface ReadRequest {
  readonly id: number
  readonly method: 'get' | 'all'
  readonly sql: string
  readonly values: readonly SqlValue[]
}

export type ReadReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string; readonly errcode: number | undefined }

const { path, lockWaitMs } = workerData as { readonly path: string; readonly lockWaitMs: number }
let database: DatabaseSync | undefined
const prepared = new Map<string, StatementSync>()

function prepare(sql: string): StatementSync {
  // Opens at the first statement, so that its caller gets the error.
  database ??= new DatabaseSync(path, { readOnly: true, timeout: lockWaitMs })
  const known = prepared.get(sql) ?? database.prepare(sql)
  prepared.set(sql, known)
  return known
}

function answer({ id, method, sql, values }: ReadRequest): ReadReply {
  try {
    return { id, result: prepare(sql)[method](...values) }
  } catch (error) {
    return { id, error: (error as Error).message, errcode: (error as { readonly errcode?: number }).errcode }
  }
}

parentPort?.on('message', (request: ReadRequest) => parentPort?.postMessage(answer(request)))
