import { setImmediate } from 'node:timers/promises'
import { defineProbe, done, type Outcome } from '#kernel'
import { type Pipeline, waitFor } from '../pipeline.ts'
import { countUnsettled } from './below-target-store.ts'
import { advanceRaise, completeRaise, findRaise, lockRaise, type Raise } from './raise-store.ts'

/** Contents that are looked at in one transaction; each raised one gets a store task. */
const contentsPerPage = 200
/** Contents of the bucket that wait for copies before the next page: a raise does not fill the queue that other buckets use. */
const waitingMax = 2000
const pollMs = 10_000

const pageRaised = defineProbe('storage.raise.page')

type RaiseDeps = Pick<Pipeline, 'clock' | 'contents' | 'database' | 'progressed'>

/** Raises the targets of the contents page by page, each recorded with its page, then waits until they have their copies. */
export async function raiseCopies(deps: RaiseDeps, id: number, signal: AbortSignal): Promise<Outcome> {
  const { clock, database } = deps
  for (;;) {
    signal.throwIfAborted()
    const raise = await findUnfinished(deps, id)
    if (!raise) return done()
    const { bucketId, untilContent: until, status } = raise
    const waiting = await countUnsettled(database.read, bucketId, { until, max: waitingMax })
    if (status === 'copying') {
      if (waiting > 0) return waitFor(clock, 'copying', pollMs, `${contentsText(waiting)} of the bucket still lack copies`)
      await database.write((tx) => completeRaise(tx, id, clock.now()))
      return done()
    }
    if (waiting >= waitingMax) return waitFor(clock, 'copying', pollMs, 'the contents that were raised first are being copied')
    await raiseNext(deps, id)
    await pageRaised()
    deps.progressed()
    await setImmediate()
  }
}

const contentsText = (count: number) => (count >= waitingMax ? `at least ${count} contents` : `${count} contents`)

async function findUnfinished({ database }: RaiseDeps, id: number): Promise<Raise | undefined> {
  const raise = await findRaise(database.read, id)
  return raise?.status === 'completed' ? undefined : raise
}

async function raiseNext({ clock, contents, database }: RaiseDeps, id: number): Promise<void> {
  await database.write(async (tx) => {
    const raise = await lockRaise(tx, id)
    if (raise?.status !== 'raising') return
    const { bucketId, targetCopies: copies, raisedTo: after, untilContent: until } = raise
    const nowMs = clock.now()
    const { next, ...raised } = await contents.raiseTargets(tx, { bucketId, copies, after, until, limit: contentsPerPage }, nowMs)
    await advanceRaise(tx, { id, ...raised, raisedTo: next ?? until, status: next === undefined ? 'copying' : 'raising', nowMs })
  })
}
