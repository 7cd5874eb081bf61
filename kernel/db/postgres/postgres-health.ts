import { SvcError } from '../../errors.ts'
import type { Database, Reader } from '../database.ts'
import { type NoParams, sqlStatement } from '../statement.ts'
import type { WriteFaultListener } from '../write-health.ts'
import { isInUse, isUnreachable, refusePostgresWrite } from './postgres-error.ts'

const one = sqlStatement<NoParams, { one: number }>('select 1 as one')
const probePauseMs = 1000
const problems: Readonly<Record<string, string>> = {
  database_full: 'disk full',
  database_unreachable: 'unreachable',
  database_unwritable: 'not writable',
  service_unavailable: 'used by another svc',
}
const inUseCode = 'service_unavailable'

/** Whether the server answers and accepts writes. */
export class PostgresHealth {
  readonly #onChange: WriteFaultListener
  #fault: SvcError | undefined
  #probedAtMs = Number.NEGATIVE_INFINITY

  constructor(onChange: WriteFaultListener) {
    this.#onChange = onChange
  }

  /** Records a failed write and returns the error for its caller. */
  explain(error: unknown): unknown {
    const refusal = refusePostgresWrite(error)
    const isFault = refusal instanceof SvcError && (refusal.code === inUseCode ? isInUse(refusal) : refusal.code in problems)
    if (isFault) this.#change(refusal)
    return refusal
  }

  /** A transaction was committed. */
  wrote(): void {
    if (this.#fault) this.#change(undefined)
  }

  /** After a fault it tries a transaction, because a lost connection is replaced only by the next write. */
  async check(read: Reader, write: Database['write']): Promise<string | undefined> {
    try {
      await read.get(one)
      if (this.#fault && performance.now() - this.#probedAtMs >= probePauseMs) {
        this.#probedAtMs = performance.now()
        await write(() => undefined)
      }
    } catch (error) {
      if (isUnreachable(error)) return 'unreachable'
      if (!(error instanceof SvcError)) throw error
    }
    return this.#fault && problems[this.#fault.code]
  }

  #change(fault: SvcError | undefined): void {
    const isNews = (fault === undefined) !== (this.#fault === undefined)
    this.#fault = fault
    if (isNews) this.#onChange(fault)
  }
}
