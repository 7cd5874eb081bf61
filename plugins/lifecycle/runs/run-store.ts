import type { DueTimes, Params, Reader, Tx } from '#kernel'
import type { LifecycleRun } from '#plugins/s3'
import { statement } from '../tables.ts'
import type { SeenClock } from './clock-policy.ts'

export interface Counts {
  /** Delete markers that were added. */
  readonly marked: number
  /** Versions with bytes that were deleted. */
  readonly removed: number
  readonly markersRemoved: number
  /** Uploads that were aborted. */
  readonly aborted: number
}

export type Phase = 'versions' | 'uploads' | 'ended'

/** Where a walk continues. */
export interface Place {
  /** Number of the prefix that is walked, of those of the rules. */
  readonly prefixAt: number
  /** The keys of the prefix up to this one are done; empty: none. */
  readonly afterKey: string
}

export interface Run extends Counts, Place {
  readonly dueMs: number
  readonly phase: Phase
}

type OfBucket<P = Record<never, never>> = Params<P & { bucketId: number }>

const unstarted = {
  phase: 'versions',
  prefix_at: 0,
  after_key: '',
  marked: 0,
  removed: 0,
  markers_removed: 0,
  aborted: 0,
  ended_at: null,
} as const

const find = statement((db, { bucketId }: OfBucket) =>
  db
    .selectFrom('lifecycle_runs')
    .select(['due_at as dueMs', 'phase', 'prefix_at as prefixAt', 'after_key as afterKey'])
    .select(['marked', 'removed', 'markers_removed as markersRemoved', 'aborted'])
    .where('bucket_id', '=', bucketId),
)

const findShown = statement((db, { bucketId }: OfBucket) =>
  db
    .selectFrom('lifecycle_runs')
    .select(['due_at as dueMs', 'started_at as startedMs', 'ended_at as endedMs', 'marked as markersAdded', 'removed as versionsDeleted'])
    .select(['markers_removed as markersDeleted', 'aborted as uploadsAborted'])
    .where('bucket_id', '=', bucketId),
)

const begin = statement((db, { bucketId, dueMs, nowMs }: OfBucket<{ dueMs: number; nowMs: number }>) =>
  db
    .insertInto('lifecycle_runs')
    .values({ bucket_id: bucketId, due_at: dueMs, started_at: nowMs, ...unstarted })
    .onConflict((conflict) => conflict.column('bucket_id').doUpdateSet({ due_at: dueMs, started_at: nowMs, ...unstarted })),
)

interface Advance extends Counts, Place {
  readonly bucketId: number
  readonly dueMs: number
  readonly phase: Phase
  readonly endedMs: number | null
}

const advance = statement((db, step: Params<Advance>) =>
  db
    .updateTable('lifecycle_runs')
    .set(({ eb }) => ({
      phase: step.phase,
      prefix_at: step.prefixAt,
      after_key: step.afterKey,
      ended_at: step.endedMs,
      marked: eb('marked', '+', step.marked),
      removed: eb('removed', '+', step.removed),
      markers_removed: eb('markers_removed', '+', step.markersRemoved),
      aborted: eb('aborted', '+', step.aborted),
    }))
    .where('bucket_id', '=', step.bucketId)
    .where('due_at', '=', step.dueMs),
)

const remove = statement((db, { bucketId }: OfBucket) => db.deleteFrom('lifecycle_runs').where('bucket_id', '=', bucketId))

const findBegun = statement((db, { ids, dueMs }: Params<{ ids: readonly number[]; dueMs: number }>) =>
  db.selectFrom('lifecycle_runs').select('bucket_id as bucketId').where('bucket_id', 'in', ids).where('due_at', '>=', dueMs),
)

const boundRuns = statement((db, { nowMs }: Params<{ nowMs: number }>) =>
  db
    .updateTable('lifecycle_runs')
    .set(({ fn, val }) => ({ due_at: nowMs, phase: 'ended', ended_at: fn.coalesce('ended_at', val(nowMs)) }))
    .where('due_at', '>', nowMs),
)

const readClock = statement((db) => db.selectFrom('lifecycle_clock').select(['seen_at as seenMs', 'rests_until as restsUntilMs']))

const writeClock = statement((db, { seenMs, restsUntilMs }: Params<{ seenMs: number; restsUntilMs: number }>) =>
  db
    .insertInto('lifecycle_clock')
    .values({ id: 1, seen_at: seenMs, rests_until: restsUntilMs })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: seenMs, rests_until: restsUntilMs })),
)

export async function findRun(read: Reader, bucketId: number): Promise<Run | undefined> {
  return await read.get(find, { bucketId })
}

/** The latest run of the bucket, as people see it. */
export async function findShownRun(read: Reader, bucketId: number): Promise<LifecycleRun | undefined> {
  return await read.get(findShown, { bucketId })
}

/** Replaces the run of an earlier day. */
export async function beginRun(tx: Tx, run: { readonly bucketId: number; readonly dueMs: number; readonly nowMs: number }): Promise<void> {
  await tx.run(begin, run)
}

/** Adds the counts. */
export async function advanceRun(tx: Tx, run: Advance): Promise<void> {
  await tx.run(advance, run)
}

export async function deleteRun(tx: Tx, bucketId: number): Promise<void> {
  await tx.run(remove, { bucketId })
}

/** Buckets whose run of this time, or a later one, began. */
export async function begunRuns(read: Reader, ids: readonly number[], dueMs: number): Promise<ReadonlySet<number>> {
  return new Set((await read.all(findBegun, { ids, dueMs })).map(({ bucketId }) => bucketId))
}

export async function findSeenClock(read: Reader): Promise<SeenClock | undefined> {
  return await read.get(readClock)
}

export async function writeSeenClock(tx: Tx, clock: SeenClock): Promise<void> {
  await tx.run(writeClock, { seenMs: clock.seenMs, restsUntilMs: clock.restsUntilMs })
}

/** After the clock was set back, runs of later midnights are over: they would keep those of the next days from beginning. */
export const runTimes: DueTimes = {
  name: 'lifecycle-runs',
  async bound(tx, nowMs) {
    await tx.run(boundRuns, { nowMs })
  },
}
