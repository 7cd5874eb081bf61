import type { Clock, Database } from '#kernel'
import type { CopyCheck, CopyChecks, RemoteCopy } from '#plugins/replication'
import type { SampleCounter } from './sample-metrics.ts'
import { isChosen, samplesPerRound } from './sample-size-policy.ts'
import { advanceSampleRun, countSamples, findSampleRun, finishSampleRun, recordSample } from './sample-store.ts'

interface SampleDeps {
  readonly database: Database
  readonly clock: Clock
  readonly checks: CopyChecks
  readonly counter: SampleCounter
}

interface SampleLimits {
  readonly perMillionDaily: number
  readonly bytesDaily: number
  readonly intervalMs: number
}

const dayMs = 24 * 3_600_000
/** Copies in doubt that one round checks; they are few, and each decides whether cached bytes may go. */
const doubtsPerRound = 50
const copiesPerRoundMax = 1000
const copiesPerPage = 200

/** Checks the copies in doubt that are due, then random ones within the limits. */
export async function sampleCopies(deps: SampleDeps, limits: SampleLimits, signal: AbortSignal): Promise<void> {
  const { database, clock, checks } = deps
  for (const copy of await checks.due(doubtsPerRound)) await checkOne(deps, copy, signal)
  const { perMillionDaily, intervalMs, bytesDaily } = limits
  if (perMillionDaily === 0) return
  const count = samplesPerRound({ committed: await checks.count(), perMillionDaily, intervalMs, random: Math.random() })
  for (const copy of await checks.draw(Math.min(count, copiesPerRoundMax))) {
    const { bytes } = await countSamples(database.read, clock.now() - dayMs)
    // The round ends, because smaller copies instead would make the sample one of small objects.
    if (bytes + copy.length > bytesDaily) return
    await checkOne(deps, copy, signal)
  }
}

/** Goes through all copies and checks the chosen share of them. It continues after the last copy of an interrupted run. */
export async function verifyShare(deps: SampleDeps, taskId: number, signal: AbortSignal): Promise<void> {
  const { database, clock, checks } = deps
  const run = await findSampleRun(database.read)
  if (run?.task_id !== taskId || run.finished_at !== null) return
  for (let after = run.after_copy; ; ) {
    const page = await checks.page(after, copiesPerPage)
    for (const copy of page) {
      if (!isChosen(run.per_million, Math.random())) continue
      const check = await checkOne(deps, copy, signal)
      await database.write((tx) => advanceSampleRun(tx, taskId, copy.copyId, check))
    }
    after = page.at(-1)?.copyId ?? after
    await database.write((tx) => advanceSampleRun(tx, taskId, after))
    if (page.length < copiesPerPage) break
  }
  await database.write((tx) => finishSampleRun(tx, taskId, clock.now()))
}

async function checkOne({ database, clock, checks, counter }: SampleDeps, copy: RemoteCopy, signal: AbortSignal): Promise<CopyCheck> {
  signal.throwIfAborted()
  const check = await checks.check(copy, signal)
  await database.write((tx) => recordSample(tx, copy, { ...check, atMs: clock.now() }))
  counter.add(check.result)
  return check
}
