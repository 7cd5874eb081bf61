import { type Clock, type Database, defineService, type Log } from '#kernel'
import type { AuditLine } from '#kernel/system'
import { addLine } from './audit-store.ts'
import { describeLine, type StoredLine } from './describe-line-policy.ts'

/** Lines that wait for the database. The log of the process has further ones. */
export const linesWaitingMax = 1024

interface KeeperDeps {
  readonly database: Pick<Database, 'write'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'warn'>
}

/** Writes audit lines into the table, many in one transaction. A request never waits for it. */
export class AuditKeeper implements AsyncDisposable {
  readonly #deps: KeeperDeps
  #waiting: { readonly atMs: number; readonly line: StoredLine }[] = []
  #writing: Promise<void> | undefined
  #lost = 0

  constructor(deps: KeeperDeps) {
    this.#deps = deps
  }

  readonly add = (line: AuditLine): void => {
    if (this.#waiting.length >= linesWaitingMax) {
      this.#lost++
      return
    }
    this.#waiting.push({ atMs: this.#deps.clock.now(), line: describeLine(line) })
    this.#writing ??= this.#writeAll()
  }

  /** Resolves when all lines so far are written, or could not be. */
  async settled(): Promise<void> {
    await this.#writing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.settled()
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0) await this.#writeWaiting()
    } finally {
      // Follows the last look at the waiting lines at once: a line that is added later starts another run.
      this.#writing = undefined
    }
  }

  async #writeWaiting(): Promise<void> {
    const lines = this.#waiting
    this.#waiting = []
    try {
      await this.#deps.database.write(async (tx) => {
        for (const { atMs, line } of lines) await addLine(tx, atMs, line)
      })
    } catch (error) {
      this.#lost += lines.length
      this.#warn('audit lines are missing in the table: the database cannot be written; the log has them', error)
      return
    }
    if (this.#lost > 0) this.#warn('audit lines are missing in the table: too many at once; the log has them')
  }

  #warn(message: string, error?: unknown): void {
    this.#deps.log.warn(message, { lines: this.#lost, ...(error !== undefined && { error }) })
    this.#lost = 0
  }
}

export const auditKeeper = defineService<AuditKeeper>('access.audit-keeper')
