import { plainTransfers } from './plain-transfers.ts'
import { type SharedTransferDeps, SharedTransfers } from './shared-transfers.ts'
import type { Transfers } from './transfers.ts'

export interface TransferOptions extends SharedTransferDeps {
  /** Large bodies and answers use shared memory and hashing threads. Default: yes. */
  readonly usesThreads?: boolean
}

export const openTransfers = ({ usesThreads = true, ...deps }: TransferOptions): Transfers =>
  usesThreads ? new SharedTransfers(deps) : plainTransfers
