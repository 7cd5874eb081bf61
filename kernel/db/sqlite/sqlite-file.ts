import { backup, DatabaseSync } from 'node:sqlite'
import { bindParams, compileStatement } from '../compile-statement.ts'
import type { Tx } from '../database.ts'
import type { Statement } from '../statement.ts'
import { SqliteReader } from './sqlite-reader.ts'
import { type NativeDatabase, StatementCache } from './statements.ts'

/** How long a statement waits for a lock held by another process. */
const lockWaitMs = 5000
/** Pages of one step of a copy: 4 MiB. Between steps, progress is shown and an abort is seen. */
const pagesPerStep = 1024

interface CopyOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((copied: number) => void) | undefined
}

/**
 * A read-only connection to the file of an SQLite database that another process may be writing. `pin` fixes the state that all later reads
 * and `copyTo` see, while the other process continues to write: its write-ahead log grows until `unpin`.
 */
export class SqliteFile extends SqliteReader implements Disposable {
  readonly #database: DatabaseSync

  constructor(path: string) {
    const database = new DatabaseSync(path, { readOnly: true, timeout: lockWaitMs })
    super(new StatementCache(database as unknown as NativeDatabase, path))
    this.#database = database
  }

  pin(): void {
    this.#database.exec('begin')
    // The state is that of the first read.
    this.#database.prepare('select count(*) from sqlite_master').get()
  }

  unpin(): void {
    if (this.#database.isTransaction) this.#database.exec('rollback')
  }

  /** Size of a copy. */
  get bytes(): number {
    const [pages, bytes] = ['page_count', 'page_size'].map((name) =>
      Number(Object.values(this.#database.prepare(`pragma ${name}`).get() ?? {})[0]),
    )
    return (pages ?? 0) * (bytes ?? 0)
  }

  /** Copies the pinned state with SQLite's backup API. The copy is durable; an unfinished one is left when it throws. */
  async copyTo(path: string, { signal, onProgress }: CopyOptions = {}): Promise<void> {
    await backup(this.#database, path, {
      rate: pagesPerStep,
      progress({ totalPages, remainingPages }) {
        // Ends the copy.
        signal?.throwIfAborted()
        onProgress?.(totalPages === 0 ? 1 : 1 - remainingPages / totalPages)
      },
    })
    signal?.throwIfAborted()
  }

  [Symbol.dispose](): void {
    this.#database.close()
  }
}

/** Changes a copy that no svc uses, in one transaction, and leaves one file without a write-ahead log. Returns its size. */
export async function changeSqliteCopy(path: string, job: (tx: Pick<Tx, 'run'>) => Promise<void>): Promise<void> {
  const database = new DatabaseSync(path, { timeout: lockWaitMs })
  try {
    database.exec('pragma journal_mode = delete; pragma synchronous = full; pragma foreign_keys = on; begin immediate')
    await job({
      async run(statement: Statement, params?: unknown) {
        const compiled = compileStatement(statement, 'sqlite')
        return { changes: Number(database.prepare(compiled.sql).run(...bindParams(compiled, params ?? {}, 'sqlite')).changes) }
      },
    })
    database.exec('commit')
  } finally {
    database.close()
  }
}

/** Moves what is in the write-ahead log into the file. False when another process that has the database open prevents it. */
export function emptySqliteLog(path: string): boolean {
  const database = new DatabaseSync(path)
  try {
    const result = database.prepare('pragma wal_checkpoint(truncate)').get() as { readonly busy: number; readonly log: number }
    return result.busy === 0 && result.log <= 0
  } finally {
    database.close()
  }
}
