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
type Work = { readonly kind: 'store' | SetWork; readonly id: number } | { readonly kind: 'finality' }

const keyOf = (work: Work): string => (work.kind === 'finality' ? taskKeys.finality : taskKeys[work.kind](work.id))

/**
 * I-43: work that rows need and no task does is enqueued again, as far as it is due. Each of these tasks looks up the state first, so that
 * an unnecessary one has no effect. Returns how many were enqueued.
 */
export async function resumeWork(deps: ResumeDeps, signal: AbortSignal): Promise<number> {
  const { database, clock, log } = deps
  let total = 0
  for await (const page of stuckWorks(deps)) {
    signal.throwIfAborted()
    total += await enqueueDue(deps, page, tasksPerPass - total)
    if (total >= tasksPerPass) break
  }
  if (total > 0) log.info('work that no task did was enqueued again', { tasks: total })
  await database.write((tx) => forgetResumptions(tx, { beforeMs: clock.now() - recordKeptMs, limit: forgottenPerPass }))
  return total
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

async function enqueueDue({ database, schedule, control, clock }: ResumeDeps, works: readonly Work[], limit: number): Promise<number> {
  const keys = works.map(keyOf)
  return database.write(async (tx) => {
    const [last, failed] = [await findResumptions(tx, keys), await undismissedFailures(tx, keys)]
    const due = works
      .filter((work) => {
        const key = keyOf(work)
        // Landings are always verified: no other task notices a reorganisation.
        const isFailed = failed.has(key) && work.kind !== 'finality'
        return isDue({ last: last.get(key), isFailed, mayPayAgain: work.kind === 'cleanup' }, clock.now())
      })
      .slice(0, limit)
    for (const work of due) {
      const key = keyOf(work)
      await enqueue({ schedule, control }, tx, work, failed.get(key))
      const tries = (last.get(key)?.tries ?? 0) + 1
      await recordResumption(tx, { work: key, tries, nextAtMs: clock.now() + pauseAfterMs(tries) })
    }
    return due.length
  })
}

/** A failed task is retried instead of a second one being added: at most one failure of each work is listed. */
async function enqueue(
  { schedule, control }: Pick<ResumeDeps, 'schedule' | 'control'>,
  tx: Tx,
  work: Work,
  failedId: number | undefined,
): Promise<void> {
  if (failedId !== undefined && typeof (await control.retry(tx, failedId)) !== 'string') return
  if (work.kind === 'finality') await schedule.verifyLandings(tx)
  else await schedule[work.kind](tx, work.id)
}
