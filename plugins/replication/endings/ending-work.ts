import type { DataSet } from '../datasets/data-set-store.ts'
import type { Ending } from './ending-store.ts'

/** A data set whose service is being ended. */
export interface EndingWork {
  readonly dataSet: DataSet
  readonly ending: Ending
  /** Its id on chain. */
  readonly chainId: bigint
}
