/** States of a data set, as data: `data_sets.state` changes only by these events, and what follows from each is listed with it (I-47). */
import type { Transition } from './transition.ts'

/** States in the order of a data set. */
export const dataSetStates = [
  /** Nothing was sent, or what was sent did not land. */
  'planned',
  /** The attempt is recorded, its outcome open. */
  'creating',
  /** Takes and serves pieces. */
  'ready',
  /** Serves pieces and takes no more. */
  'write_blocked',
  /** The same, and its service is being ended. */
  'retiring',
  /** Ended, and final. */
  'retired',
  /** Only in rows of earlier versions. */
  'abandoning',
  /** Was never created, and never will be. */
  'abandoned',
  /** Not live on chain. */
  'lost',
] as const

export type DataSetState = (typeof dataSetStates)[number]

export const dataSetEffects = {
  ensure: 'its ensure task runs',
  commit: 'its commit task runs: it counts the copies of all contents again, and follows sent batches',
  commit_waiting: 'its commit task runs when batches or parked copies wait',
  end_due: 'its end task runs when it must end',
  store_waiting: 'the store tasks of contents of the bucket that lack copies run',
  end_unsent: 'batches that were not sent are closed, and copies in none of the sent ones are lost',
  lose_committed: 'its committed copies are lost, and their removals closed',
  cleanup: 'its cleanup task runs: the removals that its end has settled are closed',
  drop_signed_end: 'the signed request to end it is deleted: it names the id that the chain no longer has',
  free_slot: 'its slot is free',
  funds: 'the known balance of the account is read again',
} as const

export type DataSetEffect = keyof typeof dataSetEffects

interface DataSetEvent extends Transition<DataSetState, DataSetEffect> {
  /** The event is refused unless this holds. */
  readonly onlyIf?: 'not_ending' | 'never_offered' | 'ending_unknown' | 'same_id'
}

export const dataSetEvents = {
  planned: { source: 'decision', meaning: 'a slot needs a data set at a provider', from: [], to: 'planned', follows: ['ensure'] },
  replanned: {
    source: 'decision',
    meaning: 'its provider cannot be reached and never received the signed creation: another one gets the slot',
    from: ['planned'],
    to: 'abandoned',
    onlyIf: 'never_offered',
  },
  creation_recorded: {
    source: 'decision',
    meaning: 'the signed creation is committed; then it is sent',
    from: ['planned'],
    to: 'creating',
    onlyIf: 'not_ending',
  },
  creation_refused: { source: 'answer', meaning: 'the provider sent nothing', from: ['creating'], to: 'planned' },
  creation_not_landed: { source: 'look_up', meaning: 'the creation did not land: it may be sent again', from: ['creating'], to: 'planned' },
  creation_followed: {
    source: 'decision',
    meaning: 'it must end, and the signed creation may still land: the chain decides',
    from: ['planned', 'lost'],
    to: 'creating',
    onlyIf: 'ending_unknown',
    follows: ['ensure'],
  },
  created: {
    source: 'look_up',
    meaning: 'the chain has it',
    from: ['creating'],
    to: 'ready',
    follows: ['commit_waiting', 'end_due', 'store_waiting', 'funds'],
  },
  creation_rolled_back: {
    source: 'look_up',
    meaning: 'a reorganisation removed it: its nonce decides again',
    from: ['ready', 'write_blocked', 'retiring'],
    to: 'creating',
    onlyIf: 'same_id',
    follows: ['drop_signed_end', 'ensure'],
  },
  terminated: {
    source: 'look_up',
    meaning: 'its service was ended by someone else',
    from: ['ready'],
    to: 'write_blocked',
    follows: ['commit', 'end_unsent'],
  },
  replaced: {
    source: 'decision',
    meaning: 'its slot has another data set',
    from: ['ready'],
    to: 'write_blocked',
    follows: ['commit'],
  },
  lost: {
    source: 'look_up',
    meaning: 'the chain does not have it any more',
    from: ['ready', 'write_blocked'],
    to: 'lost',
    follows: ['commit', 'end_unsent', 'lose_committed'],
  },
  retiring: {
    source: 'decision',
    meaning: 'it must end, and its provider can be asked to end the service',
    from: ['ready', 'write_blocked'],
    to: 'retiring',
  },
  retired: {
    source: 'look_up',
    meaning: 'the end of its service is final',
    from: ['ready', 'write_blocked', 'retiring', 'lost'],
    to: 'retired',
    follows: ['cleanup', 'commit', 'free_slot'],
  },
  never_created: {
    source: 'look_up',
    meaning: 'it must end, and the chain has nothing of it',
    from: ['planned'],
    to: 'abandoned',
    follows: ['free_slot'],
  },
} as const satisfies Readonly<Record<string, DataSetEvent>>

export type DataSetEventName = keyof typeof dataSetEvents

export const dataSetEvent = (name: DataSetEventName): DataSetEvent => dataSetEvents[name]

/** Data sets that take pieces now or after their creation. */
export const statesThatTakePieces: readonly DataSetState[] = ['planned', 'creating', 'ready']

/** Data sets on chain whose provider serves their pieces. */
export const statesThatServe: readonly DataSetState[] = ['ready', 'write_blocked', 'retiring']

/** The same, and data sets whose creation a reorganisation made undecided: their providers have the pieces. */
export const statesThatMayServe: readonly DataSetState[] = ['creating', ...statesThatServe]

/** Data sets that have ended, with all their pieces, and those that were never created. */
export const endedStates: readonly DataSetState[] = ['retired', 'abandoned']

export const takesPieces = (state: DataSetState): boolean => statesThatTakePieces.includes(state)
