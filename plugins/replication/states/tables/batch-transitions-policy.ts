/** States of a batch, as data: those of every paid attempt, before them the pull, and what an event does to the copies of the batch. */
import { openValues } from '#plugins/wallet'
import { batchStates, stepOf } from '../../submissions/row-states-policy.ts'
import type { CopyEventName } from './copy-transitions-policy.ts'

/** pulling: the provider fetches the pieces, and nothing was submitted; the others are those of an attempt. */
export type BatchState = 'pulling' | (typeof batchStates)[keyof typeof batchStates]

interface BatchEvent {
  readonly from: readonly BatchState[]
  /** Is undefined when the state stays. */
  readonly to: BatchState | undefined
  /** What happens to its copies. */
  readonly copies?: CopyEventName
  /** What the answer tells of the number of pieces that the provider takes at once. */
  readonly size?: 'accepted' | 'refused'
}

const ofAttempt = (event: Parameters<typeof stepOf>[1], copies?: CopyEventName): BatchEvent => ({
  ...stepOf<BatchState>(batchStates, event),
  ...(copies && { copies }),
})

const notDecided: readonly BatchState[] = [batchStates.ready, ...(openValues(batchStates) as readonly BatchState[])]

export const batchEvents = {
  pulled: { from: ['pulling'], to: 'ready', copies: 'pulled' },
  recorded: ofAttempt('record'),
  /** The chain has its piece, which an attempt that this database does not have added and paid. Nothing is sent. */
  found_on_chain: ofAttempt('record'),
  accepted: { ...ofAttempt('answered_ok'), size: 'accepted' },
  uncertain: ofAttempt('answered_uncertain', 'doubted'),
  /** Refused, and not sent again: its copies leave it once the chain shows that it did not land. */
  withdrawn: ofAttempt('withdrawn', 'doubted'),
  /** The same: the provider never takes so many pieces, and gets them in smaller batches. */
  too_large: { ...ofAttempt('withdrawn', 'doubted'), size: 'refused' },
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
