/** The columns in which each paid request of this plugin keeps the state of its attempt. */
import { nextState, type StateNames, stateOfRow, valuesThatTake } from '#plugins/wallet'

/** `commit_batches.state`. A batch is also `pulling` before it is ready. */
export const batchStates = {
  ready: 'ready',
  recorded: 'submitting',
  submitted: 'submitted',
  uncertain: 'uncertain',
  landed: 'confirmed',
  closed: 'closed',
} as const satisfies StateNames

/** `data_sets.state` until the data set is created; whether its creation was accepted is in `create_tx`. */
export const creationStates = {
  ready: 'planned',
  recorded: 'creating',
  submitted: 'creating',
  uncertain: 'creating',
  landed: 'ready',
  closed: 'abandoned',
} as const satisfies StateNames

/** `data_set_endings.state`. */
export const endingStates = {
  ready: 'pending',
  recorded: 'submitting',
  submitted: 'submitted',
  uncertain: 'uncertain',
  landed: 'ended',
  closed: 'closed',
} as const satisfies StateNames

/** `removals.state`. A removal that landed ends as `removed`. */
export const removalStates = {
  ready: 'pending',
  recorded: 'submitting',
  submitted: 'submitted',
  uncertain: 'uncertain',
  landed: 'scheduled',
  closed: 'data_set_ended',
} as const satisfies StateNames

/** The column values in which an attempt takes the event, and the value that it gets; undefined: it keeps its own. */
export function stepOf<Name extends string>(names: StateNames<Name>, event: Parameters<typeof nextState>[1]) {
  const from = valuesThatTake(names, event)
  const next = nextState(stateOfRow(names, from[0] ?? '') ?? 'closed', event)
  return { from, to: next && names[next] }
}
