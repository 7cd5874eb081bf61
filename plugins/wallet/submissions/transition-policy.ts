/** States of a paid attempt, as data: the runners, the stores and docs/reference/submissions.md read this table. Pure. */

export type AttemptState =
  /** Signed or to be signed; nothing that was sent for it can land. */
  | 'ready'
  /** Committed with the bytes to send; whether they were sent is not known. */
  | 'recorded'
  /** The receiver accepted it. */
  | 'submitted'
  /** Only the chain shows the outcome. */
  | 'uncertain'
  | 'landed'
  /** Is never sent again and cannot land. */
  | 'closed'

/** Who causes an event: a decision of svc, the answer to a request that was sent, or a look-up on chain. */
type EventSource = 'decision' | 'answer' | 'look_up'

interface AttemptEvent {
  readonly source: EventSource
  readonly meaning: string
  /** Next state by current state; in an absent state the event is refused. */
  readonly next: Readonly<Partial<Record<AttemptState, AttemptState>>>
}

const undecided = { recorded: 'uncertain', submitted: 'submitted', uncertain: 'uncertain' } as const

export const attemptEvents = {
  record: { source: 'decision', meaning: 'the bytes are committed; then they are sent', next: { ready: 'recorded' } },
  answered_ok: { source: 'answer', meaning: 'the receiver accepted the request', next: { recorded: 'submitted' } },
  answered_landed: {
    source: 'answer',
    meaning: 'the receiver found the nonce used: the chain has the result',
    next: { recorded: 'submitted' },
  },
  answered_uncertain: { source: 'answer', meaning: 'the answer is lost or ambiguous', next: { recorded: 'uncertain' } },
  not_sent: { source: 'answer', meaning: 'the receiver sent nothing', next: { recorded: 'ready' } },
  withdrawn: {
    source: 'answer',
    meaning: 'refused, and another attempt will do the work once the chain shows that this one did not land',
    next: { recorded: 'uncertain' },
  },
  undecided: { source: 'look_up', meaning: 'the chain does not show the outcome yet', next: undecided },
  observed: { source: 'look_up', meaning: "the count of the sender's transactions is recorded as the proof to wait for", next: undecided },
  attention: { source: 'look_up', meaning: 'undecided for too long: an operator is notified', next: undecided },
  reopened: {
    source: 'look_up',
    meaning: 'it did not land: it may be sent again',
    next: { recorded: 'ready', submitted: 'ready', uncertain: 'ready' },
  },
  landed: {
    source: 'look_up',
    meaning: 'the chain has its result',
    next: { ready: 'landed', recorded: 'landed', submitted: 'landed', uncertain: 'landed' },
  },
  rolled_back: { source: 'look_up', meaning: 'a reorganisation removed the result', next: { landed: 'uncertain' } },
  ended: {
    source: 'look_up',
    meaning: 'it can never land: its nonce or its data set is gone',
    next: { ready: 'closed', recorded: 'closed', submitted: 'closed', uncertain: 'closed', landed: 'closed' },
  },
  released: {
    source: 'decision',
    meaning: 'an operator lets another attempt do the work: this one is never sent again, only looked up',
    next: { ready: 'uncertain', submitted: 'submitted', uncertain: 'uncertain' },
  },
  closed: { source: 'decision', meaning: 'it is no longer wanted', next: { ready: 'closed' } },
} as const satisfies Readonly<Record<string, AttemptEvent>>

export type AttemptEventName = keyof typeof attemptEvents

const eventNames = Object.keys(attemptEvents) as AttemptEventName[]
/** States in the order of an attempt. */
export const attemptStates: readonly AttemptState[] = ['ready', 'recorded', 'submitted', 'uncertain', 'landed', 'closed']

/** Attempts that may land on chain: they are looked up until they are decided. */
const isOpenState = (state: AttemptState): boolean => nextState(state, 'undecided') !== undefined

/** Returns undefined when the state does not take the event. */
export function nextState(state: AttemptState, event: AttemptEventName): AttemptState | undefined {
  const { next }: AttemptEvent = attemptEvents[event]
  return next[state]
}

/** The next state. A refused event is a defect of svc: the attempt stays as it is. */
export function advance(state: AttemptState, event: AttemptEventName): AttemptState {
  const next = nextState(state, event)
  if (next === undefined) throw new Error(`the event ${event} is refused: the paid attempt is ${state}`)
  return next
}

/** The value of the state column of one table for each state. */
export type StateNames<Name extends string = string> = Readonly<Record<AttemptState, Name>>

/** The column values in which an attempt takes the event. */
export const valuesThatTake = <Name extends string>(names: StateNames<Name>, event: AttemptEventName): readonly Name[] =>
  valuesOf(names, (state) => nextState(state, event) !== undefined)

/** The column values of attempts that may land on chain. */
export const openValues = <Name extends string>(names: StateNames<Name>): readonly Name[] => valuesOf(names, isOpenState)

/** Whether the column value is the one of an attempt that may land on chain. */
export function isOpenRow(names: StateNames, value: string | null): boolean {
  return attemptStates.some((state) => names[state] === value && isOpenState(state))
}

/** The state of a row; undefined for a column value of another life phase. Of several, the first. */
export function stateOfRow(names: StateNames, value: string): AttemptState | undefined {
  return attemptStates.find((state) => names[state] === value)
}

/** Each value once, in the order of an attempt. */
function valuesOf<Name extends string>(names: StateNames<Name>, isWanted: (state: AttemptState) => boolean): readonly Name[] {
  return [...new Set(attemptStates.filter(isWanted).map((state) => names[state]))]
}

/** Every transition of the table. */
export const transitions: readonly { readonly from: AttemptState; readonly event: AttemptEventName; readonly to: AttemptState }[] =
  eventNames.flatMap((event) =>
    attemptStates.flatMap((from) => {
      const to = nextState(from, event)
      return to === undefined ? [] : [{ from, event, to }]
    }),
  )
