/** What the steps of a replacement need. */

import type { SettingValues } from '#kernel'
import { type Clock, type Database, defineService, done, type Log, type Outcome, type TaskQueue, wait } from '#kernel'
import type { ReplicaSlot, ReplicaSlots } from '#plugins/replication'
import type { WaitReason } from '../contract/records.ts'
import type { ReplacementRow } from '../records/replacement-store.ts'
import type { replacementSection } from '../settings.ts'
import type { ReplacementStates } from '../states/replacement-states.ts'

export interface Engine {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly queue: TaskQueue
  readonly slots: ReplicaSlots
  readonly states: ReplacementStates
  readonly settings: SettingValues<(typeof replacementSection)['keys']>
  /** Until a step looks again at what others do. */
  readonly pollMs: number
}

export const engine = defineService<Engine>('replacement.engine')

type Generation = ReplicaSlot['generations'][number]

/** A replacement with the data sets of its slot. */
export interface Work {
  readonly replacement: ReplacementRow
  readonly slot: ReplicaSlot
  readonly target: Generation
  /** Earlier generations of the slot that have not ended, oldest first: their contents move to the target, and their services end. */
  readonly sources: readonly Generation[]
}

/** A creation that a reorganisation removed may land again. */
export const isAlive = ({ state, endCause }: Generation): boolean => (state === 'ready' || state === 'creating') && endCause === null

/** The replica has to move on to another provider, which takes a new confirmation: the old service was not ended. */
export async function failTarget(
  { database, states }: Engine,
  { replacement, target }: Work,
  event: 'migration_failed' | 'target_lost',
): Promise<Outcome> {
  const why = target.lastError === null ? '' : ` (${target.lastError})`
  const message = `the service of the new data set ended before the old one was replaced${why}; replace the new one by another provider`
  await database.write((tx) => states.apply(tx, event, replacement.id, { failure: 'target_lost', message }))
  return done()
}

const endedStates: readonly Generation['state'][] = ['retired', 'abandoned']

/** Finds its slot; undefined when the bucket was deleted: its data sets end with it. */
export async function findWork(
  { database, slots }: Pick<Engine, 'database' | 'slots'>,
  replacement: ReplacementRow,
): Promise<Work | undefined> {
  const slot = (await slots.list(database.read, replacement.bucketId)).find(({ slot }) => slot === replacement.slot)
  const target = slot?.generations.find(({ id }) => id === replacement.targetId)
  if (!slot || !target || target.endCause === 'bucket_deleted') return undefined
  // Data sets that never were those of the slot end on their own.
  const sources = slot.generations.filter(
    (one) => one.generation < target.generation && one.endCause !== 'unused' && !endedStates.includes(one.state),
  )
  return { replacement, slot, target, sources }
}

/** The step looks again soon. */
export const again = ({ clock, pollMs }: Pick<Engine, 'clock' | 'pollMs'>, reason: string, message?: string): Outcome =>
  wait(reason, clock.now() + pollMs, message)

const waitEvents = { prepare: 'preparation_waits', migrate: 'migration_waits', retire: 'retirement_waits' } as const
const continueEvents = { prepare: 'preparation_continues', migrate: 'migration_continues', retire: 'retirement_continues' } as const

type Phase = keyof typeof waitEvents

/** I-08: the replacement waits, without an error and without an attempt. */
export async function pause(
  deps: Engine,
  { id, status, waitReason, waitMessage }: ReplacementRow,
  { phase, reason, message }: { readonly phase: Phase; readonly reason: WaitReason; readonly message: string },
): Promise<Outcome> {
  if (status !== 'waiting' || waitReason !== reason || waitMessage !== message)
    await deps.database.write((tx) => deps.states.apply(tx, waitEvents[phase], id, { reason, message }))
  return again(deps, reason, message)
}

/** What it waited for is over. */
export async function carryOn(deps: Engine, { id, status }: ReplacementRow, phase: Phase): Promise<void> {
  if (status === 'waiting') await deps.database.write((tx) => deps.states.apply(tx, continueEvents[phase], id))
}
