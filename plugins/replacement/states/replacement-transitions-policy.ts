/** States of a replacement, as data: `replacements.status` and `phase` change only by these events. */

/** What the replacement is at, also while it waits or has failed. `none`: it has ended. */
export type ReplacementPhase = 'prepare' | 'migrate' | 'retire' | 'none'

/** Statuses in the order of a replacement. */
export const replacementStatuses = [
  /** The new data set is being created; the old one still gets the uploads. */
  'preparing_target',
  /** The new data set gets the uploads, and the contents of the old one are copied to it. */
  'migrating',
  /** Paused without a failure; its reason says for what. */
  'waiting',
  /** The service of the old data set is being ended. */
  'retiring',
  /** The end of the old service needs an operator. */
  'cleanup_attention',
  /** Work used all its attempts; an operator retries it. */
  'failed',
  /** The old service has ended, finally. */
  'completed',
  /** A later confirmation took its place before its target got the uploads. */
  'superseded',
] as const

export type ReplacementStatus = (typeof replacementStatuses)[number]

/** A status, with the phase where it matters: `waiting.migrate`. */
type ReplacementState =
  | 'preparing_target'
  | 'migrating'
  | 'retiring'
  | `waiting.${Exclude<ReplacementPhase, 'none'>}`
  | 'failed.prepare'
  | 'failed.migrate'
  | 'cleanup_attention'
  | 'completed'
  | 'superseded'

interface ReplacementEvent {
  readonly source: 'decision' | 'answer' | 'look_up'
  readonly meaning: string
  /** A replacement in another state keeps it. Empty: the event inserts it. */
  readonly from: readonly ReplacementState[]
  readonly to: ReplacementState
}

export const replacementEvents = {
  confirmed: { source: 'decision', meaning: 'an operator or a repair confirmed it', from: [], to: 'preparing_target' },
  superseded: {
    source: 'decision',
    meaning: 'a later confirmation takes its place: the service of its target is ended',
    from: ['preparing_target', 'waiting.prepare', 'failed.prepare'],
    to: 'superseded',
  },
  target_replaced: {
    source: 'decision',
    meaning: 'its target was lost after it got the uploads: a later confirmation moves the replica on',
    from: ['failed.migrate'],
    to: 'superseded',
  },
  bucket_deleted: {
    source: 'decision',
    meaning: 'its bucket was deleted: all services end with it',
    from: [
      'preparing_target',
      'migrating',
      'retiring',
      'waiting.prepare',
      'waiting.migrate',
      'waiting.retire',
      'failed.prepare',
      'failed.migrate',
      'cleanup_attention',
    ],
    to: 'superseded',
  },
  preparation_waits: {
    source: 'answer',
    meaning: 'the target cannot be created or written to yet',
    from: ['preparing_target', 'waiting.prepare'],
    to: 'waiting.prepare',
  },
  preparation_continues: {
    source: 'look_up',
    meaning: 'the reason of the wait is gone',
    from: ['waiting.prepare'],
    to: 'preparing_target',
  },
  preparation_failed: {
    source: 'answer',
    meaning: 'the target cannot be created: nothing has moved',
    from: ['preparing_target', 'waiting.prepare'],
    to: 'failed.prepare',
  },
  preparation_retried: { source: 'decision', meaning: 'an operator retries it', from: ['failed.prepare'], to: 'preparing_target' },
  taken_over: {
    source: 'decision',
    meaning: 'the slot has the target as its data set',
    from: ['preparing_target', 'waiting.prepare'],
    to: 'migrating',
  },
  migration_waits: {
    source: 'look_up',
    meaning: 'no content can be copied now, or the old service may not end yet',
    from: ['migrating', 'waiting.migrate'],
    to: 'waiting.migrate',
  },
  migration_continues: { source: 'look_up', meaning: 'the reason of the wait is gone', from: ['waiting.migrate'], to: 'migrating' },
  migration_failed: {
    source: 'look_up',
    meaning: 'contents could not be copied, and nothing else is left to do',
    from: ['migrating', 'waiting.migrate'],
    to: 'failed.migrate',
  },
  migration_retried: { source: 'decision', meaning: 'an operator retries it', from: ['failed.migrate'], to: 'migrating' },
  end_requested: {
    source: 'decision',
    meaning: 'all contents can be read from the target: the old service is ended',
    from: ['migrating', 'waiting.migrate'],
    to: 'retiring',
  },
  retirement_waits: {
    source: 'answer',
    meaning: 'the old service cannot be ended yet',
    from: ['retiring', 'waiting.retire'],
    to: 'waiting.retire',
  },
  retirement_continues: { source: 'look_up', meaning: 'the reason of the wait is gone', from: ['waiting.retire'], to: 'retiring' },
  target_lost: {
    source: 'look_up',
    meaning: 'its target was lost before the old service ended, which stays',
    from: ['retiring', 'waiting.retire'],
    to: 'failed.migrate',
  },
  attention: {
    source: 'answer',
    meaning: 'the old service cannot be ended without an operator',
    from: ['retiring', 'waiting.retire'],
    to: 'cleanup_attention',
  },
  retirement_retried: { source: 'decision', meaning: 'an operator retries it', from: ['cleanup_attention'], to: 'retiring' },
  completed: {
    source: 'look_up',
    meaning: 'the end of the old service is final',
    from: ['retiring', 'waiting.retire', 'cleanup_attention'],
    to: 'completed',
  },
} as const satisfies Readonly<Record<string, ReplacementEvent>>

export type ReplacementEventName = keyof typeof replacementEvents

export const replacementEvent = (name: ReplacementEventName): ReplacementEvent => replacementEvents[name]

const phases = { preparing_target: 'prepare', migrating: 'migrate', retiring: 'retire', cleanup_attention: 'retire' } as const

/** The columns of a state. */
export function columnsOfState(state: ReplacementState): { readonly status: ReplacementStatus; readonly phase: ReplacementPhase } {
  const [status, phase] = state.split('.') as [ReplacementStatus, ReplacementPhase | undefined]
  return { status, phase: phase ?? (status in phases ? phases[status as keyof typeof phases] : 'none') }
}

/** The state of a row. */
export const stateOfColumns = ({ status, phase }: { readonly status: ReplacementStatus; readonly phase: ReplacementPhase }) =>
  (status === 'waiting' || status === 'failed' ? `${status}.${phase}` : status) as ReplacementState

/** A slot has at most one replacement in another status. */
export const endedStatuses: readonly ReplacementStatus[] = ['completed', 'superseded']

/** States that can be left by a retry, and its event. */
export const retryEvents = {
  'failed.prepare': 'preparation_retried',
  'failed.migrate': 'migration_retried',
  cleanup_attention: 'retirement_retried',
} as const satisfies Partial<Record<ReplacementState, ReplacementEventName>>

/** A task drives it. */
export const drivenStatuses: readonly ReplacementStatus[] = ['preparing_target', 'migrating', 'waiting', 'retiring']
