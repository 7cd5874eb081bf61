/** The columns in which each paid request of this plugin keeps the state of its attempt. */
import type { StateNames } from '#plugins/wallet'

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
