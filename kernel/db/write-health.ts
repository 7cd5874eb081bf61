import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { SvcError } from '../errors.ts'
import type { Tx } from './database.ts'
import { isDiskFault, refuseWrite } from './database-error.ts'

/** Told the fault when writes begin to fail, and undefined when they succeed again. */
export type WriteFaultListener = (fault: Error | undefined) => void

/** Below this, the next commits may fill the disk: a write is tried. */
const freeBytesMin = 1024 * 1024
const probePauseMs = 1000

/** Undefined where the file system does not tell. */
export type FreeBytes = (path: string) => Promise<number | undefined>

async function freeBytesBeside(path: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(dirname(path))
    return bavail * bsize
  } catch {
    // Only a hint when to try a write: whether the disk takes one is told by the writes.
    return undefined
  }
}

/** Takes a page and gives it back, so that it fails where a new row would. Other statements are prepared anew afterwards. */
function probe(tx: Tx): void {
  tx.run('create table svc_write_probe (id integer)')
  tx.run('drop table svc_write_probe')
}

/** Whether the disk of the database takes writes. */
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

  /** Notes what a failed write met and returns what its caller is told. */
  explain(error: unknown): unknown {
    const refusal = refuseWrite(error)
    if (isDiskFault(refusal)) this.#change(refusal as Error)
    return refusal
  }

  /**
   * What is wrong with the disk, in words for the health report, or undefined. After a fault, and where little room is left, it tries a
   * write of its own: some file systems count no free blocks and take writes all the same.
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
