/** States of a copy, as data: `copies.state` changes only by these events, and what follows from each is listed with it (I-47). */
import type { Transition } from './transition.ts'

/** States in the order of a copy. */
export const copyStates = [
  /** Waits for an upload or a pull. */
  'planned',
  /** Is uploaded or pulled. */
  'transferring',
  /** The provider has the bytes; no batch has the copy. */
  'parked',
  /** Is in a batch. */
  'batched',
  /** The outcome of its batch is unknown: only the chain decides. */
  'unconfirmed',
  /** The same for too long, or its batch is refused: an operator was called. */
  'attention',
  'committed',
  /** Only in rows of earlier versions. */
  'failed',
  'lost',
  'removed',
] as const

export type CopyState = (typeof copyStates)[number]

export const copyEffects = {
  announce: 'watchers hear that the state of the object may have changed',
  recount: 'the copies of the content are counted again; those of a deleted content are released',
  withhold: 'the cached bytes are kept and a committed copy counts as missing until the commit task has counted again',
  store: 'the store task of the content runs',
  commit: 'the commit task of the data set runs',
  batch: 'the commit task of the data set runs after the batching window',
  check: 'the commit task of the data set runs at the next check',
  pull: 'the pull task of the data set runs',
  pull_others: 'after the batching window, the pull tasks of data sets that lack a copy run',
  capacity: 'the cache looks for room again',
  funds: 'the known balance of the account is read again',
  count: 'the metrics count the copies and their bytes',
} as const

export type CopyEffect = keyof typeof copyEffects

interface CopyEvent extends Transition<CopyState, CopyEffect> {
  /** Leaves out copies that an open batch holds (I-25). */
  readonly isHeldExempt?: true
}

/** The copy begins again outside of its batch. */
const again = ['announce', 'recount', 'store', 'commit'] as const

export const copyEvents = {
  planned: { source: 'decision', meaning: 'the content needs a copy in the slot', from: [], to: 'planned' },
  planned_late: { source: 'decision', meaning: 'the data set of the slot has ended since', from: [], to: 'lost' },
  upload_begun: { source: 'decision', meaning: 'the bytes are being sent', from: ['planned'], to: 'transferring' },
  pull_recorded: {
    source: 'decision',
    meaning: 'a batch for the pull is recorded with its signature',
    from: ['planned'],
    to: 'transferring',
  },
  upload_failed: { source: 'answer', meaning: 'the upload ended without the piece', from: ['transferring'], to: 'planned' },
  pull_failed: {
    source: 'answer',
    meaning: 'the pull ended without the piece, or its batch was closed',
    from: ['transferring'],
    to: 'planned',
    follows: ['recount', 'store'],
  },
  stored: {
    source: 'answer',
    meaning: 'the provider serves the piece',
    from: ['transferring'],
    to: 'parked',
    follows: ['recount', 'batch', 'pull_others'],
  },
  pulled: {
    source: 'answer',
    meaning: 'all pieces of the pull arrived: its signature adds them',
    from: ['transferring'],
    to: 'batched',
    follows: ['announce', 'recount', 'commit'],
  },
  batched: {
    source: 'decision',
    meaning: 'a batch is recorded with its signature',
    from: ['parked'],
    to: 'batched',
    follows: ['announce'],
  },
  doubted: { source: 'answer', meaning: 'the answer to the batch is lost or ambiguous', from: ['batched'], to: 'unconfirmed' },
  not_landed: { source: 'look_up', meaning: 'the batch did not land: it may be sent again', from: ['unconfirmed'], to: 'batched' },
  attention: {
    source: 'decision',
    meaning: 'undecided or refused for too long: an operator is called',
    from: ['batched', 'unconfirmed'],
    to: 'attention',
  },
  attention_ended: {
    source: 'look_up',
    meaning: 'the batch did not land, or was sent again: the operator has nothing to decide',
    from: ['attention'],
    to: 'batched',
  },
  withdrawn: {
    source: 'look_up',
    meaning: 'a withdrawn batch did not land, and the provider has the piece',
    from: ['batched', 'attention'],
    to: 'parked',
    follows: again,
  },
  withdrawn_gone: {
    source: 'look_up',
    meaning: 'a withdrawn batch did not land, and the provider has discarded the piece',
    from: ['batched', 'attention'],
    to: 'planned',
    follows: again,
  },
  released: {
    source: 'decision',
    meaning: 'an operator lets another batch add the piece; the old one is only looked up',
    from: ['attention'],
    to: 'parked',
    follows: again,
  },
  released_gone: {
    source: 'decision',
    meaning: 'the same, and the provider has discarded the piece',
    from: ['attention'],
    to: 'planned',
    follows: again,
  },
  committed: {
    source: 'look_up',
    meaning: 'the batch landed',
    from: ['batched', 'unconfirmed', 'attention'],
    to: 'committed',
    follows: ['announce', 'recount', 'capacity', 'funds', 'count'],
  },
  adopted: {
    source: 'look_up',
    meaning: 'a batch landed from which an operator had released the copy',
    from: ['planned', 'transferring', 'parked', 'batched', 'unconfirmed', 'attention', 'failed'],
    to: 'committed',
    follows: ['announce', 'recount', 'commit', 'pull', 'count'],
  },
  rolled_back: {
    source: 'look_up',
    meaning: 'a reorganisation removed the batch: its nonce decides again',
    from: ['committed'],
    to: 'unconfirmed',
    follows: ['announce', 'recount', 'check'],
  },
  data_set_ended: {
    source: 'look_up',
    meaning: 'the data set takes no more pieces',
    from: ['planned', 'transferring', 'parked', 'batched', 'attention'],
    to: 'lost',
    isHeldExempt: true,
    follows: ['withhold'],
  },
  data_set_lost: {
    source: 'look_up',
    meaning: 'the data set is lost with its pieces',
    from: ['committed'],
    to: 'lost',
    follows: ['withhold'],
  },
  piece_lost: {
    source: 'look_up',
    meaning: 'its provider has lost the piece, and another source has the bytes: it is stored there again',
    from: ['committed'],
    to: 'planned',
    follows: ['announce', 'recount', 'store'],
  },
  content_deleted: {
    source: 'decision',
    meaning: 'the content has no more versions, and the copy is not on chain',
    from: ['planned', 'transferring', 'parked', 'failed', 'lost'],
    to: 'removed',
    isHeldExempt: true,
  },
  retired: {
    source: 'look_up',
    meaning: 'the end of the service of a replaced data set is final: the content is on its successor',
    from: ['committed'],
    to: 'removed',
    follows: ['recount'],
  },
  removed: { source: 'look_up', meaning: 'its removal is final', from: ['committed'], to: 'removed', follows: ['recount'] },
} as const satisfies Readonly<Record<string, CopyEvent>>

export type CopyEventName = keyof typeof copyEvents

export const copyEvent = (name: CopyEventName): CopyEvent => copyEvents[name]

/** The copy is in a batch whose landing is not known. */
export const statesInBatch: readonly CopyState[] = ['batched', 'unconfirmed', 'attention']

/** The copy is on its way to the chain. */
export const unsettledStates: readonly CopyState[] = ['planned', 'transferring', 'parked', ...statesInBatch]

/** States in which the provider has the bytes. */
export const statesWithBytes: ReadonlySet<CopyState> = new Set(['parked', ...statesInBatch, 'committed'])
