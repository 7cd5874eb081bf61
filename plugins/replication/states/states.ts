import { type BatchStateDeps, type BatchStates, createBatchStates } from './batch-states.ts'
import { type CopyStates, createCopyStates } from './copy-states.ts'
import { createDataSetStates, type DataSetStates } from './data-set-states.ts'

/** I-47: the states of copies, batches and data sets change only here, with everything that follows from the change. */
export interface States {
  readonly copies: CopyStates
  readonly batches: BatchStates
  readonly dataSets: DataSetStates
}

export function createStates(deps: BatchStateDeps): States {
  const copies = createCopyStates(deps)
  const batches = createBatchStates(deps, copies)
  return { copies, batches, dataSets: createDataSetStates(deps, { copies, batches }) }
}
