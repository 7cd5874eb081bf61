import { setImmediate } from 'node:timers/promises'
import type { Clock, Database, Log, TaskQueue, Tx } from '#kernel'
import type { TaskControl } from '#kernel/system'
import { nextCheckAtMs } from '../finality/landing-store.ts'
import type { Schedule } from '../pipeline.ts'
import { pageOfStuckContents, type UnsettledPlace } from '../stuck/stuck-contents-store.ts'
import { pageOfStuckSets, type SetWork, setWorks } from '../stuck/stuck-sets-store.ts'
import { taskKeys } from '../task-keys.ts'
import { isDue, pauseAfterMs, recordKeptMs } from './resume-policy.ts'
import { findResumptions, forgetResumptions, recordResumption, undismissedFailures } from './resumption-store.ts'

/** Contents or data sets that are looked at between two turns of the event loop, and enqueued in one transaction. */
const worksPerPage = 200
/** Tasks that one pass enqueues: a fault that stopped more than these is first tried with some of them. */
const tasksPerPass = 500
/** Records that one pass deletes. */
const forgottenPerPass = 1000

interface ResumeDeps {
  readonly database: Database
  readonly queue: Pick<TaskQueue, 'hasOpen'>
  readonly schedule: Pick<Schedule, 'store' | 'verifyLandings' | SetWork>
  readonly control: Pick<TaskControl, 'retry'>
  readonly clock: Clock
  readonly log: Log
}

/** The id of a content or a data set. */
export type Work = { readonly kind: 'store' | SetWork; readonly id: number } | { readonly kind: 'finality' }

/** Leaves out work that an operator did not ask for. */
export type ChooseWorks = (works: readonly Work[]) => Promise<readonly Work[]>

const keyOf = (work: Work): string => (work.kind === 'finality' ? taskKeys.finality : taskKeys[work.kind](work.id))

/**
 * I-43: work that rows need and no task does is enqueued again, as far as it is due. Each of these tasks looks up the state first, so that
 * an unnecessary one has no effect. Returns how many were enqueued.
 */
export async function resumeWork(deps: ResumeDeps, signal: AbortSignal): Promise<number> {
  const { database, clock } = deps
  const isWanted: IsWanted = (work, situation) =>
    // Landings are always verified: no other task notices a reorganisation.
    isDue(work.kind === 'finality' ? { ...situation, isFailed: false } : situation, clock.now())
  const isOver = () => {
    signal.throwIfAborted()
    return false
  }
  const { tasks } = await enqueueStuck(deps, { isWanted, isOver })
  await database.write((tx) => forgetResumptions(tx, { beforeMs: clock.now() - recordKeptMs, limit: forgottenPerPass }))
  return tasks
}

/**
 * The same at the request of an operator, without pauses: also work whose failure waits for one. A retry that may pay again is left to the
 * page of its task. Returns whether there may be more.
 */
export const resumeAsked = (deps: ResumeDeps, asked: { readonly choose: ChooseWorks; readonly untilMs: number }): Promise<Enqueued> =>
  enqueueStuck(deps, {
    choose: asked.choose,
    isWanted: (_, { isFailed, mayPayAgain }) => !(isFailed && mayPayAgain),
    isOver: () => deps.clock.now() >= asked.untilMs,
  })

type IsWanted = (work: Work, situation: Parameters<typeof isDue>[0]) => boolean

interface Pass {
  readonly choose?: ChooseWorks
  readonly isWanted: IsWanted
  readonly isOver: () => boolean
}

interface Enqueued {
  readonly tasks: number
  readonly hasMore: boolean
}

async function enqueueStuck(deps: ResumeDeps, { choose, isWanted, isOver }: Pass): Promise<Enqueued> {
  let tasks = 0
  let hasMore = false
  for await (const page of stuckWorks(deps)) {
    hasMore = isOver() || tasks >= tasksPerPass
    if (hasMore) break
    tasks += await enqueue(deps, choose ? await choose(page) : page, {
      isWanted,
      isAsked: choose !== undefined,
      limit: tasksPerPass - tasks,
    })
  }
  if (tasks > 0) deps.log.info('work that no task did was enqueued again', { tasks })
  return { tasks, hasMore: hasMore || tasks >= tasksPerPass }
}

async function* stuckWorks({ database: { read }, queue }: ResumeDeps): AsyncGenerator<readonly Work[]> {
  if ((await nextCheckAtMs(read)) !== undefined && !(await queue.hasOpen(read, taskKeys.finality))) yield [{ kind: 'finality' }]
  // Data sets first: contents wait for them.
  for (const kind of setWorks) {
    for (let after = 0; ; ) {
      const found = await pageOfStuckSets(read, kind, { after, limit: worksPerPage })
      const last = found.at(-1)
      if (last === undefined) break
      yield found.map((id) => ({ kind, id }))
      after = last
    }
  }
  for (let place: UnsettledPlace | undefined = { bucketId: 0, storeState: '', id: 0 }; place !== undefined; ) {
    const { ids, next }: Awaited<ReturnType<typeof pageOfStuckContents>> = await pageOfStuckContents(read, place, worksPerPage)
    if (ids.length > 0) yield ids.map((id) => ({ kind: 'store', id }))
    place = next
    await setImmediate()
  }
}

interface Wanted {
  readonly isWanted: IsWanted
  /** An operator asked: the pauses of later automatic tries do not grow. */
  readonly isAsked: boolean
  readonly limit: number
}

async function enqueue(
  { database, schedule, control, clock }: ResumeDeps,
  works: readonly Work[],
  { isWanted, isAsked, limit }: Wanted,
): Promise<number> {
  if (works.length === 0) return 0
  const keys = works.map(keyOf)
  return database.write(async (tx) => {
    const [last, failed] = [await findResumptions(tx, keys), await undismissedFailures(tx, keys)]
    const due = works
      .filter((work) => {
        const key = keyOf(work)
        return isWanted(work, { last: last.get(key), isFailed: failed.has(key), mayPayAgain: work.kind === 'cleanup' })
      })
      .slice(0, limit)
    for (const work of due) {
      const key = keyOf(work)
      await enqueueOne({ schedule, control }, tx, work, failed.get(key))
      const before = last.get(key)?.tries
      const tries = isAsked ? (before ?? 1) : (before ?? 0) + 1
      await recordResumption(tx, { work: key, tries, nextAtMs: clock.now() + pauseAfterMs(tries) })
    }
    return due.length
  })
}

/** A failed task is retried instead of a second one being added: at most one failure of each work is listed. */
async function enqueueOne(
  { schedule, control }: Pick<ResumeDeps, 'schedule' | 'control'>,
  tx: Tx,
  work: Work,
  failedId: number | undefined,
): Promise<void> {
  if (failedId !== undefined && typeof (await control.retry(tx, failedId)) !== 'string') return
  if (work.kind === 'finality') await schedule.verifyLandings(tx)
  else await schedule[work.kind](tx, work.id)
}
