import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { SvcError } from '../errors.ts'
import type { Tx } from './database.ts'
import { isDiskFault, refuseWrite } from './database-error.ts'

/** Called with the fault when writes begin to fail, and with undefined when they succeed again. */
export type WriteFaultListener = (fault: Error | undefined) => void

/** Below this number of free bytes, ping tries a write. */
const freeBytesMin = 1024 * 1024
const probePauseMs = 1000

/** Undefined when the file system does not report it. */
export type FreeBytes = (path: string) => Promise<number | undefined>

async function freeBytesBeside(path: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(dirname(path))
    return bavail * bsize
  } catch {
    // Only a hint when to try a write; the write itself decides.
    return undefined
  }
}

/** Allocates a page and frees it, which fails where a new row would. Invalidates prepared statements. */
function probe(tx: Tx): void {
  tx.run('create table svc_write_probe (id integer)')
  tx.run('drop table svc_write_probe')
}

/** Whether the database's disk accepts writes. */
export class WriteHealth {
  readonly #path: string
  readonly #onChange: WriteFaultListener
  readonly #freeBytes: FreeBytes
  #fault: Error | undefined
  #probedAtMs = Number.NEGATIVE_INFINITY

  constructor(path: string, onChange: WriteFaultListener, freeBytes: FreeBytes = freeBytesBeside) {
    this.#path = path
    this.#onChange = onChange
    this.#freeBytes = freeBytes
  }

  /** Records a failed write and returns the error for its caller. */
  explain(error: unknown): unknown {
    const refusal = refuseWrite(error)
    if (isDiskFault(refusal)) this.#change(refusal as Error)
    return refusal
  }

  /**
   * The disk's problem as text for the health report, or undefined. After a fault, and when little space is left, it tries a write:
   * some file systems report no free blocks and still accept writes.
   */
  async check(write: (job: (tx: Tx) => void) => Promise<void>): Promise<string | undefined> {
    const isDoubtful = this.#fault !== undefined || ((await this.#freeBytes(this.#path)) ?? freeBytesMin) < freeBytesMin
    if (isDoubtful && performance.now() - this.#probedAtMs >= probePauseMs) await this.#probe(write)
    if (this.#fault === undefined) return undefined
    return this.#fault instanceof SvcError && this.#fault.code === 'database_full' ? 'disk full' : 'not writable'
  }

  async #probe(write: (job: (tx: Tx) => void) => Promise<void>): Promise<void> {
    this.#probedAtMs = performance.now()
    try {
      await write(probe)
      this.#change(undefined)
    } catch (error) {
      // A disk fault is already recorded; other errors are for the health check.
      if (!isDiskFault(error)) throw error
    }
  }

  #change(fault: Error | undefined): void {
    const isNews = (fault === undefined) !== (this.#fault === undefined)
    this.#fault = fault
    if (isNews) this.#onChange(fault)
  }
}
