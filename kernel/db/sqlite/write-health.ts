import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { SvcError } from '../../errors.ts'
import type { Tx } from '../database.ts'
import { isDiskFault, refuseWrite } from '../database-error.ts'
import { sqlStatement } from '../statement.ts'
import { WriteFault, type WriteFaultListener } from '../write-fault.ts'

/** Below this number of free bytes, ping tries a write. */
const freeBytesMin = 1024 * 1024

/** Returns undefined when the file system does not report it. */
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

const createProbe = sqlStatement('create table svc_write_probe (id integer)')
const dropProbe = sqlStatement('drop table svc_write_probe')

/** Allocates a page and frees it, which fails where a new row would. Invalidates prepared statements. */
async function allocate(tx: Tx): Promise<void> {
  await tx.run(createProbe)
  await tx.run(dropProbe)
}

/** Whether the database's disk accepts writes. */
export class WriteHealth {
  readonly #path: string
  readonly #fault: WriteFault<Error>
  readonly #freeBytes: FreeBytes

  constructor(path: string, onChange: WriteFaultListener, freeBytes: FreeBytes = freeBytesBeside) {
    this.#path = path
    this.#fault = new WriteFault(onChange)
    this.#freeBytes = freeBytes
  }

  /** Records a failed write and returns the error for its caller. */
  explain(error: unknown): unknown {
    const refusal = refuseWrite(error)
    if (isDiskFault(refusal)) this.#fault.set(refusal as Error)
    return refusal
  }

  /**
   * The disk's problem as text for the health report, or undefined. After a fault, and when little space is left, it tries a write:
   * some file systems report no free blocks and still accept writes.
   */
  async check(write: (job: (tx: Tx) => Promise<void>) => Promise<void>): Promise<string | undefined> {
    const isDoubtful = this.#fault.current !== undefined || ((await this.#freeBytes(this.#path)) ?? freeBytesMin) < freeBytesMin
    if (isDoubtful) await this.#fault.probe(() => this.#tryWrite(write))
    const fault = this.#fault.current
    if (fault === undefined) return undefined
    return fault instanceof SvcError && fault.code === 'database_full' ? 'disk full' : 'not writable'
  }

  async #tryWrite(write: (job: (tx: Tx) => Promise<void>) => Promise<void>): Promise<void> {
    try {
      await write(allocate)
      this.#fault.set(undefined)
    } catch (error) {
      // A disk fault is already recorded; other errors are for the health check.
      if (!isDiskFault(error)) throw error
    }
  }
}
