import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { SvcError } from '../errors.ts'
import type { Tx } from './database.ts'
import { isDiskFault, refuseWrite } from './database-error.ts'

/** Told the fault when writes begin to fail, and undefined when they succeed again. */
export type WriteFaultListener = (fault: Error | undefined) => void

/** Below this, the next commits fill the disk. */
const freeBytesMin = 1024 * 1024
const probePauseMs = 1000

/** Takes a page and gives it back, so that it fails where a new row would. Other statements are prepared anew afterwards. */
function probe(tx: Tx): void {
  tx.run('create table svc_write_probe (id integer)')
  tx.run('drop table svc_write_probe')
}

/** Whether the disk of the database takes writes. */
export class WriteHealth {
  readonly #path: string
  readonly #onChange: WriteFaultListener
  #fault: Error | undefined
  #probedAtMs = 0

  constructor(path: string, onChange: WriteFaultListener) {
    this.#path = path
    this.#onChange = onChange
  }

  /** Notes what a failed write met and returns what its caller is told. */
  explain(error: unknown): unknown {
    const refusal = refuseWrite(error)
    if (isDiskFault(refusal)) this.#change(refusal as Error)
    return refusal
  }

  /** What is wrong with the disk, in words for the health report, or undefined. After a fault it tries a write of its own. */
  async check(write: (job: (tx: Tx) => void) => Promise<void>): Promise<string | undefined> {
    if (this.#fault && performance.now() - this.#probedAtMs >= probePauseMs) await this.#probe(write)
    if (this.#fault) return this.#fault instanceof SvcError && this.#fault.code === 'database_full' ? 'disk full' : 'not writable'
    const { bavail, bsize } = await statfs(dirname(this.#path))
    return bavail * bsize < freeBytesMin ? 'disk full' : undefined
  }

  async #probe(write: (job: (tx: Tx) => void) => Promise<void>): Promise<void> {
    this.#probedAtMs = performance.now()
    try {
      await write(probe)
      this.#change(undefined)
    } catch (error) {
      // The failed write noted a fault of the disk itself; another error is for the health check.
      if (!isDiskFault(error)) throw error
    }
  }

  #change(fault: Error | undefined): void {
    const isNews = (fault === undefined) !== (this.#fault === undefined)
    this.#fault = fault
    if (isNews) this.#onChange(fault)
  }
}
