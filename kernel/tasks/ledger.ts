import { defineService } from '../service.ts'

/** Reads and operator actions on the task records. Running and finishing them is the engine's alone. */
export interface TaskLedger {
  /** Placeholder so that the type is nominal until the ledger's reads are declared. */
  readonly kinds: readonly string[]
}

export const taskLedger = defineService<TaskLedger>('kernel.task-ledger')
