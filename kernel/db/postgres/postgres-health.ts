import { SvcError } from '../../errors.ts'
import type { Database, Reader } from '../database.ts'
import { type NoParams, sqlStatement } from '../statement.ts'
import { WriteFault, type WriteFaultListener } from '../write-fault.ts'
import { isInUse, isUnreachable, isUnusable, refusePostgresWrite } from './postgres-error.ts'

const one = sqlStatement<NoParams, { one: number }>('select 1 as one')
const problems: Readonly<Record<string, string>> = {
  database_full: 'disk full',
  database_unreachable: 'unreachable',
  database_unwritable: 'not writable',
}

/** Whether the server answers and accepts writes. */
export class PostgresHealth {
  readonly #fault: WriteFault<SvcError>

  constructor(onChange: WriteFaultListener) {
    this.#fault = new WriteFault(onChange)
  }

  /** Records a failed write and returns the error for its caller. */
  explain(error: unknown): unknown {
    const refusal = refusePostgresWrite(error)
    if (refusal instanceof SvcError && problemOf(refusal)) this.#fault.set(refusal)
    return refusal
  }

  /** A transaction was committed. */
  wrote(): void {
    this.#fault.set(undefined)
  }

  /** After a fault it tries a transaction, because a lost connection is replaced only by the next write. */
  async check(read: Reader, write: Database['write']): Promise<string | undefined> {
    try {
      await read.get(one)
      if (this.#fault.current) await this.#fault.probe(() => write(() => undefined))
    } catch (error) {
      if (isUnreachable(error)) return 'unreachable'
      if (!(error instanceof SvcError)) throw error
    }
    return this.#fault.current && problemOf(this.#fault.current)
  }
}

function problemOf(fault: SvcError): string | undefined {
  if (isInUse(fault)) return 'used by another svc'
  return isUnusable(fault) ? 'refused, see the log' : problems[fault.code]
}
