import type { Holdings } from '#plugins/storage'
import { type CopyState, statesWithBytes, unsettledStates } from '../states/tables/copy-transitions-policy.ts'
import { type DataSetState, statesThatMayServe, statesThatServe } from '../states/tables/data-set-transitions-policy.ts'

/** A copy of a piece of a content. */
export interface HeldCopy {
  readonly slot: number
  readonly pieceId: number
  readonly state: CopyState
  readonly dataSetState: DataSetState
  /** Its provider or the chain denies it: it does not count as durable (I-53), and is still tried by reads. */
  readonly isDenied: boolean
}

interface States {
  readonly copy: ReadonlySet<CopyState>
  readonly dataSet: ReadonlySet<DataSetState>
}

const durable: States = { copy: new Set(['committed']), dataSet: new Set(statesThatServe) }
/** The provider serves the bytes, committed or not: after a reorganisation copies can still be read there (I-20). */
const readable: States = { copy: statesWithBytes, dataSet: new Set(statesThatMayServe) }
/** A copy in `attention` waits for an operator. */
const storing: ReadonlySet<CopyState> = new Set(unsettledStates.filter((state) => state !== 'attention'))

/** Counts the slots that hold all `pieces` of a content (I-19). */
export function holdingsOf(copies: readonly HeldCopy[], pieces: number): Holdings {
  const hasFailed = copies.some(({ state }) => state === 'failed') && !copies.some(({ state }) => storing.has(state))
  return {
    durableCopies: countSlots(
      copies.filter(({ isDenied }) => !isDenied),
      pieces,
      durable,
    ),
    readableCopies: countSlots(copies, pieces, readable),
    progress: copies.length === 0 ? 'none' : hasFailed ? 'failed' : 'storing',
  }
}

function countSlots(copies: readonly HeldCopy[], pieces: number, { copy, dataSet }: States): number {
  const held = copies.filter(({ state, dataSetState }) => copy.has(state) && dataSet.has(dataSetState))
  const slots = Map.groupBy(held, ({ slot }) => slot)
  // A slot may have the same piece on two generations of its data set.
  return [...slots.values()].filter((inSlot) => new Set(inSlot.map(({ pieceId }) => pieceId)).size === pieces).length
}
