/** Thread of `ReadingThread`: runs statements on a read-only connection of its own. */
import { createRequire } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import type { NativeDatabase, NativeStatement } from './sqlite/statements.ts'
import type { SqlValue } from './statement.ts'

export interface ReadRequest {
  readonly id: number
  readonly method: 'get' | 'all'
  readonly sql: string
  readonly values: readonly SqlValue[]
}

export type ReadReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string; readonly code: string | undefined }

const { path, lockWaitMs } = workerData as { readonly path: string; readonly lockWaitMs: number }
/**
 * The library of the live connection of this process. Another one, such as Node's own, would not know the locks of that connection: it
 * would reset the shared memory in use, and free the locks of the whole process when it closes.
 */
const Database = createRequire(import.meta.url)('better-sqlite3') as new (
  path: string,
  options: { readonly readonly: boolean; readonly timeout: number },
) => NativeDatabase
let database: NativeDatabase | undefined
const prepared = new Map<string, NativeStatement>()

function prepare(sql: string): NativeStatement {
  // Opens at the first statement, so that its caller gets the error.
  database ??= new Database(path, { readonly: true, timeout: lockWaitMs })
  const known = prepared.get(sql) ?? database.prepare(sql)
  prepared.set(sql, known)
  return known
}

function answer({ id, method, sql, values }: ReadRequest): ReadReply {
  try {
    return { id, result: prepare(sql)[method](...values) }
  } catch (error) {
    return { id, error: (error as Error).message, code: (error as { readonly code?: string }).code }
  }
}

parentPort?.on('message', (request: ReadRequest) => parentPort?.postMessage(answer(request)))
