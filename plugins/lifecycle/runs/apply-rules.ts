import { setImmediate } from 'node:timers/promises'
import { type Clock, type Database, defineProbe, done, type Outcome, SvcError, wait } from '#kernel'
import type { LifecycleRules } from '#plugins/s3'
import type { Bucket, Buckets } from '#plugins/storage'
import { calendarOf } from '../rules/calendar-policy.ts'
import type { ActionCounts } from './action-counts.ts'
import { type DeleteDeps, type Failures, failuresMax, noCounts, RulesChanged, type Work } from './delete-due.ts'
import { abortNextUploads, deleteNextVersions, type WalkPlace } from './next-page.ts'
import { advanceRun, beginRun, type Counts, findRun, type Phase, type Run } from './run-store.ts'

export interface ApplyDeps extends DeleteDeps {
  readonly clock: Clock
  /** Writes are fenced by the lease of the run. */
  readonly database: Database
  readonly buckets: Pick<Buckets, 'find'>
  readonly lifecycleRules: Pick<LifecycleRules, 'hold' | 'read'>
  readonly settings: { readonly day: number }
  readonly actionCounts: ActionCounts
  progressed(): void
}

export interface AppliedRules {
  readonly bucketId: number
  readonly bucket: string
  /** What expires until then is deleted. A run that is late does not delete more. */
  readonly dueMs: number
}

const pageDeleted = defineProbe('lifecycle.page')

const start: WalkPlace = { prefixAt: 0, afterKey: '' }

/** After this time the runs of other buckets have their turn. */
export const turnMs = 30_000

/**
 * Carries out the rules of a bucket page by page. A page that was deleted but not recorded is looked at again, and has nothing left to
 * delete. Rules that were changed after `dueMs` act from the next run on.
 */
export async function applyRules(deps: ApplyDeps, run: AppliedRules, signal: AbortSignal): Promise<Outcome> {
  const stored = await begin(deps, run)
  let phase: Phase = stored?.phase ?? 'ended'
  let place: WalkPlace = stored ?? start
  const begun = place
  const turnEndMs = deps.clock.now() + turnMs
  const failures: Failures = { left: failuresMax }
  while (phase !== 'ended') {
    signal.throwIfAborted()
    if (deps.clock.now() >= turnEndMs && mayPause(begun, place)) return wait('turn', deps.clock.now(), 'runs of other buckets')
    const step: Step = await nextStep(deps, run, { phase, place, failures })
    ;({ phase, place } = step)
    if (phase === 'ended') await report(deps, run, step.reason)
    deps.progressed()
    await setImmediate()
  }
  return done()
}

/** Whether the next turn continues behind what this one did. A key without its place is walked again, which ends only if a turn may finish it. */
const mayPause = (begun: WalkPlace, place: WalkPlace): boolean =>
  place.within === undefined || place.afterKey !== begun.afterKey || place.prefixAt !== begun.prefixAt

/** Returns undefined when a run of this time, or of a later one, has ended, and for a bucket that was deleted or has no rules now. */
async function begin({ database, clock, lifecycleRules }: ApplyDeps, { bucketId, dueMs }: AppliedRules): Promise<Run | undefined> {
  const found = await findRun(database.read, bucketId)
  if (found && found.dueMs >= dueMs) return found.dueMs === dueMs && found.phase !== 'ended' ? found : undefined
  const isBegun = await database.write(async (tx) => {
    if ((await lifecycleRules.hold(tx, bucketId)) === undefined) return false
    await beginRun(tx, { bucketId, dueMs, nowMs: clock.now() })
    return true
  })
  return isBegun ? await findRun(database.read, bucketId) : undefined
}

interface Position {
  readonly phase: Exclude<Phase, 'ended'>
  readonly place: WalkPlace
  readonly failures: Failures
}

type EarlyEnd = 'rules_changed' | 'bucket_deleted' | 'clock_set_back'

interface Step {
  readonly phase: Phase
  readonly place: WalkPlace
  /** Why the run ended before the last page. */
  readonly reason?: EarlyEnd
}

async function nextStep(deps: ApplyDeps, run: AppliedRules, { phase, place, failures }: Position): Promise<Step> {
  // What had expired then has not expired now.
  if (deps.clock.now() < run.dueMs) return endEarly(deps, run, 'clock_set_back')
  try {
    const read = await readWork(deps, run)
    if (!read) throw new RulesChanged()
    const work = { ...read, failures }
    const page = await (phase === 'versions' ? deleteNextVersions : abortNextUploads)(deps, work, place)
    await pageDeleted()
    const step: Step = page ? { phase, place: page.next } : { phase: phase === 'versions' ? 'uploads' : 'ended', place: start }
    await record(deps, run, step, page?.counts ?? noCounts)
    return step
  } catch (error) {
    const isDeleted = error instanceof SvcError && error.code === 'bucket_not_found'
    if (!isDeleted && !(error instanceof RulesChanged)) throw error
    return endEarly(deps, run, isDeleted ? 'bucket_deleted' : 'rules_changed')
  }
}

async function endEarly(deps: ApplyDeps, run: AppliedRules, reason: EarlyEnd): Promise<Step> {
  const step: Step = { phase: 'ended', place: start, reason }
  await record(deps, run, step, noCounts)
  return step
}

/** Returns undefined when the rules were removed, or changed after the time of the run. */
async function readWork(
  { lifecycleRules, buckets, settings }: ApplyDeps,
  { bucketId, bucket, dueMs }: AppliedRules,
): Promise<Omit<Work, 'failures'> | undefined> {
  const stored = await lifecycleRules.read(bucketId)
  if (!stored || stored.changedAtMs > dueMs || !isSame(buckets.find(bucket), bucketId)) return undefined
  const by = { rules: stored.rules, calendar: calendarOf(settings.day), atMs: dueMs }
  return { bucket: { id: bucketId, name: bucket }, by, revision: stored.revision }
}

const isSame = (bucket: Bucket | undefined, id: number): boolean => bucket?.id === id

async function record(deps: ApplyDeps, { bucketId, dueMs }: AppliedRules, { phase, place }: Step, counts: Counts): Promise<void> {
  const { prefixAt, afterKey } = place
  const endedMs = phase === 'ended' ? deps.clock.now() : null
  await deps.database.write((tx) => advanceRun(tx, { bucketId, dueMs, phase, prefixAt, afterKey, endedMs, ...counts }))
  deps.actionCounts.add(counts)
}

async function report({ database, log }: ApplyDeps, { bucketId, bucket }: AppliedRules, reason: Step['reason']): Promise<void> {
  const run = await findRun(database.read, bucketId)
  if (!run) return
  const { marked, removed, markersRemoved, aborted } = run
  const counts = { bucket, markersAdded: marked, versionsDeleted: removed, markersDeleted: markersRemoved, uploadsAborted: aborted }
  if (reason !== undefined) log.info('lifecycle run ended early; the rules act from the next midnight on', { ...counts, reason })
  else if (marked + removed + markersRemoved + aborted > 0) log.info('lifecycle rules carried out', counts)
}
