import { setImmediate } from 'node:timers/promises'
import type { Clock, Database, Log, TaskQueue, Tx } from '#kernel'
import type { TaskControl } from '#kernel/system'
import type { Schedule } from '../pipeline.ts'
import type { SetWork } from '../stuck/stuck-sets-store.ts'
import { taskKeys } from '../task-keys.ts'
import { isDue, pauseAfterMs, recordKeptMs } from './resume-policy.ts'
import { findResumptions, forgetResumptions, recordResumption, undismissedFailures } from './resumption-store.ts'
import { firstPlace, pageOfStuckWorks, type Work, type WorkPlace } from './stuck-works.ts'

/** Tasks that one pass enqueues, more than a page has: a fault that stopped more than these is first tried with some of them. */
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
  const { tasks } = await enqueueStuck(deps, { from: firstPlace, isWanted, isOver })
  await database.write((tx) => forgetResumptions(tx, { beforeMs: clock.now() - recordKeptMs, limit: forgottenPerPass }))
  return tasks
}

interface Asked {
  readonly choose: ChooseWorks
  /** Where the request before ended; undefined: at the beginning. */
  readonly from?: WorkPlace | undefined
  readonly untilMs: number
}

/**
 * The same at the request of an operator, without pauses: also work whose failure waits for one. A retry that may pay again is left to the
 * page of its task. Returns where the next request goes on, so that requests together look at each work once, however many there are.
 */
export const resumeAsked = (deps: ResumeDeps, { choose, from = firstPlace, untilMs }: Asked): Promise<Enqueued> =>
  enqueueStuck(deps, {
    choose,
    from,
    isWanted: (_, { isFailed, mayPayAgain }) => !(isFailed && mayPayAgain),
    isOver: () => deps.clock.now() >= untilMs,
  })

type IsWanted = (work: Work, situation: Parameters<typeof isDue>[0]) => boolean

interface Pass {
  readonly choose?: ChooseWorks
  readonly from: WorkPlace
  readonly isWanted: IsWanted
  readonly isOver: () => boolean
}

interface Enqueued {
  readonly tasks: number
  /** Is undefined when all was looked at. */
  readonly next: WorkPlace | undefined
}

async function enqueueStuck(deps: ResumeDeps, { choose, from, isWanted, isOver }: Pass): Promise<Enqueued> {
  const { database, queue, log } = deps
  let tasks = 0
  let place: WorkPlace | undefined = from
  while (place !== undefined && !isOver()) {
    const { works, next }: Awaited<ReturnType<typeof pageOfStuckWorks>> = await pageOfStuckWorks(database.read, queue, place)
    const chosen = choose ? await choose(works) : works
    // A page is enqueued whole: the next request begins behind it.
    if (tasks + chosen.length > tasksPerPass) break
    tasks += await enqueue(deps, chosen, { isWanted, isAsked: choose !== undefined })
    place = next
    await setImmediate()
  }
  if (tasks > 0) log.info('work that no task did was enqueued again', { tasks })
  return { tasks, next: place }
}

interface Wanted {
  readonly isWanted: IsWanted
  /** An operator asked: the pauses of later automatic tries do not grow. */
  readonly isAsked: boolean
}

async function enqueue(
  { database, schedule, control, clock }: ResumeDeps,
  works: readonly Work[],
  { isWanted, isAsked }: Wanted,
): Promise<number> {
  if (works.length === 0) return 0
  const keys = works.map(keyOf)
  return database.write(async (tx) => {
    const [last, failed] = [await findResumptions(tx, keys), await undismissedFailures(tx, keys)]
    const due = works.filter((work) => {
      const key = keyOf(work)
      return isWanted(work, { last: last.get(key), isFailed: failed.has(key), mayPayAgain: work.kind === 'cleanup' })
    })
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
