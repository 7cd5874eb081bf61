/** States of a batch, as data: those of every paid attempt, before them the pull, and what an event does to the copies of the batch. */
import { nextState, openValues, stateOfRow, valuesThatTake } from '#plugins/wallet'
import { batchStates } from '../../submissions/row-states-policy.ts'
import type { CopyEventName } from './copy-transitions-policy.ts'

/** pulling: the provider fetches the pieces, and nothing was submitted; the others are those of an attempt. */
export type BatchState = 'pulling' | (typeof batchStates)[keyof typeof batchStates]

interface BatchEvent {
  readonly from: readonly BatchState[]
  /** Is undefined when the state stays. */
  readonly to: BatchState | undefined
  /** What happens to its copies. */
  readonly copies?: CopyEventName
}

function ofAttempt(event: Parameters<typeof nextState>[1], copies?: CopyEventName): BatchEvent {
  const from = valuesThatTake(batchStates, event) as readonly BatchState[]
  const next = nextState(stateOfRow(batchStates, from[0] ?? '') ?? 'closed', event)
  return { from, to: next && batchStates[next], ...(copies && { copies }) }
}

const notDecided: readonly BatchState[] = [batchStates.ready, ...(openValues(batchStates) as readonly BatchState[])]

export const batchEvents = {
  pulled: { from: ['pulling'], to: 'ready', copies: 'pulled' },
  recorded: ofAttempt('record'),
  accepted: ofAttempt('answered_ok'),
  uncertain: ofAttempt('answered_uncertain', 'doubted'),
  /** Refused, and not sent again: its copies leave it once the chain shows that it did not land. */
  withdrawn: ofAttempt('withdrawn', 'doubted'),
  not_sent: ofAttempt('not_sent'),
  reopened: ofAttempt('reopened', 'not_landed'),
  /** Another batch adds one of its pieces: it is only looked up from now on, because an earlier send may have reached the chain. */
  watched: { ...ofAttempt('released', 'doubted'), from: [batchStates.ready] },
  attention: { from: notDecided, to: undefined, copies: 'attention' },
  attention_ended: { from: notDecided, to: undefined, copies: 'attention_ended' },
  landed: ofAttempt('landed', 'committed'),
  rolled_back: ofAttempt('rolled_back', 'rolled_back'),
  /** Is never sent. The caller moves its copies in the same transaction. */
  closed: { from: ['pulling', batchStates.ready], to: batchStates.closed },
} as const satisfies Readonly<Record<string, BatchEvent>>

export type BatchEventName = keyof typeof batchEvents

export const batchEvent = (name: BatchEventName): BatchEvent => batchEvents[name]
