/** Who causes an event: a decision of svc or an operator, an answer of a provider, or a look-up on chain. */
type EventSource = 'decision' | 'answer' | 'look_up'

/** One event of a table of states. */
export interface Transition<State extends string, Effect extends string> {
  readonly source: EventSource
  readonly meaning: string
  /** A row in another state keeps it, and nothing follows. Empty: the event inserts the row. */
  readonly from: readonly State[]
  readonly to: State
  /** Happens in the same transaction, in this order. */
  readonly follows?: readonly Effect[]
}

/** States as a list of SQL text. */
export const listOf = (states: Iterable<string>): string => `(${[...states].map((state) => `'${state}'`).join(', ')})`

/** What `make` gives for each event of a table. */
export const ofEach = <Name extends string, T>(events: Readonly<Record<Name, unknown>>, make: (name: Name) => T) =>
  Object.fromEntries((Object.keys(events) as Name[]).map((name) => [name, make(name)])) as Readonly<Record<Name, T>>
