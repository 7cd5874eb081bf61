import type { Clock, Database, Log, TaskQueue } from '#kernel'
import type { LifecycleRules } from '#plugins/s3'
import type { Buckets } from '#plugins/storage'
import { calendarOf, latestRun } from '../rules/calendar-policy.ts'
import type { ActionCounts } from './action-counts.ts'
import { applyKey, applyRulesTask } from './apply-rules-task.ts'
import { isAhead, seeClock } from './clock-policy.ts'
import { begunRuns, findSeenClock, writeSeenClock } from './run-store.ts'

interface FindDeps {
  readonly clock: Clock
  /** Writes are fenced by the lease of the run. */
  readonly database: Database
  readonly queue: TaskQueue
  readonly buckets: Pick<Buckets, 'list'>
  readonly lifecycleRules: Pick<LifecycleRules, 'bucketsWithRules'>
  readonly settings: { readonly day: number }
  readonly actionCounts: ActionCounts
  readonly log: Log
}

const bucketsPerPage = 500

/** Enqueues a run for each bucket whose rules have not acted since the latest midnight, unless the clock is doubted. */
export async function findRuns(deps: FindDeps, signal: AbortSignal): Promise<void> {
  const { clock, database, settings, lifecycleRules } = deps
  const nowMs = clock.now()
  if (!(await isClockBelieved(deps, nowMs))) return
  const dueMs = latestRun(nowMs, calendarOf(settings.day))
  const named = new Map(deps.buckets.list().map(({ id, name }) => [id, name]))
  for (let afterId = 0; ; ) {
    signal.throwIfAborted()
    const ids = await lifecycleRules.bucketsWithRules({ afterId, changedUntilMs: dueMs, limit: bucketsPerPage })
    const begun = await begunRuns(database.read, ids, dueMs)
    const due = ids.flatMap((bucketId) => {
      const bucket = named.get(bucketId)
      return bucket === undefined || begun.has(bucketId) ? [] : { bucketId, bucket, dueMs }
    })
    await enqueue(deps, due)
    const last = ids.at(-1)
    if (last === undefined || ids.length < bucketsPerPage) return
    afterId = last
  }
}

/** A task that is open already is of an earlier run: the next look enqueues this one. */
async function enqueue({ database, queue }: FindDeps, runs: readonly (typeof applyRulesTask.args.infer)[]): Promise<void> {
  if (runs.length === 0) return
  await database.write(
    async (tx) => {
      const open = await queue.openKeys(
        tx,
        runs.map(({ bucketId }) => applyKey(bucketId)),
      )
      for (const run of runs) {
        const key = applyKey(run.bucketId)
        if (!open.has(key)) await queue.add(tx, applyRulesTask, run, { key })
      }
    },
    { rows: runs.length },
  )
}

async function isClockBelieved({ database, actionCounts, log }: FindDeps, nowMs: number): Promise<boolean> {
  const before = await findSeenClock(database.read)
  const seen = seeClock(before, nowMs)
  await database.write((tx) => writeSeenClock(tx, seen))
  const databaseNowMs = await database.now()
  const isWrong = isAhead(nowMs, databaseNowMs)
  if (isWrong && !actionCounts.isResting) {
    log.warn('lifecycle rules rest: the clock is ahead of that of the database; set both', { aheadMs: nowMs - databaseNowMs })
  }
  actionCounts.rest = isWrong ? 'clock_ahead' : nowMs < seen.restsUntilMs ? 'unseen_time' : undefined
  if (before && seen.restsUntilMs > before.restsUntilMs) {
    log.warn('lifecycle rules rest: time passed while svc was off, or the clock was set ahead; check the clock', {
      unseenMs: nowMs - before.seenMs,
      until: new Date(seen.restsUntilMs).toISOString(),
    })
  }
  return !actionCounts.isResting
}
