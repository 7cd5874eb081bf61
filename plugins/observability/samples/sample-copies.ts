import type { Clock, Database } from '#kernel'
import type { CopyCheck, CopyChecks, RemoteCopy } from '#plugins/replication'
import { createDailyAllowance } from './daily-allowance.ts'
import type { SampleCounter } from './sample-metrics.ts'
import { isChosen, samplesPerRound } from './sample-size-policy.ts'
import { advanceSampleRun, findSampleRun, finishSampleRun, recordSample, useSince } from './sample-store.ts'

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
/** Copies in doubt that one round checks at one provider, and providers that are asked at the same time. */
const doubtsOfProvider = 50
const providersAtOnce = 4
const copiesPerRoundMax = 1000
const copiesPerPage = 200

/**
 * Checks the copies in doubt that are due, then random ones, within the allowance of the day. No check begins after the interval, so that
 * a provider that sends slowly delays the next round by one piece.
 */
export async function sampleCopies(deps: SampleDeps, limits: SampleLimits, signal: AbortSignal): Promise<void> {
  const { database, clock, checks } = deps
  const { perMillionDaily, intervalMs, bytesDaily } = limits
  const startedAtMs = clock.now()
  const isOver = () => clock.now() - startedAtMs >= intervalMs
  const allowance = createDailyAllowance(await useSince(database.read, startedAtMs - dayMs), bytesDaily)
  const check = async (copy: RemoteCopy, isDoubt: boolean) => {
    const { result, bytes } = await checkOne(deps, copy, { isDoubt, signal })
    allowance.add({ providerId: copy.providerId, isDoubt, bytes })
    return result
  }
  await checkDoubts(await checks.due(doubtsOfProvider), async (copy) => {
    if (isOver() || !allowance.allowsDoubt(copy.providerId)) return false
    return (await check(copy, true)) !== 'unreachable'
  })
  if (perMillionDaily === 0) return
  const count = samplesPerRound({ committed: await checks.count(), perMillionDaily, intervalMs, random: Math.random() })
  for (const copy of await checks.draw(Math.min(count, copiesPerRoundMax))) {
    // The round ends, because smaller copies instead would make the sample one of small objects.
    if (isOver() || !allowance.allowsRandom(copy.length)) return
    await check(copy, false)
  }
}

/** Providers side by side, so that a slow one delays its own copies; `check` returns whether to go on at this provider. */
async function checkDoubts(copies: readonly RemoteCopy[], check: (copy: RemoteCopy) => Promise<boolean>): Promise<void> {
  const providers = Map.groupBy(copies, ({ providerId }) => providerId).values()
  const worker = async () => {
    for (const own of providers) for (const copy of own) if (!(await check(copy))) break
  }
  await Promise.all(Array.from({ length: providersAtOnce }, worker))
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
      const check = await checkOne(deps, copy, { isDoubt: false, signal })
      await database.write((tx) => advanceSampleRun(tx, taskId, copy.copyId, check))
    }
    after = page.at(-1)?.copyId ?? after
    await database.write((tx) => advanceSampleRun(tx, taskId, after))
    if (page.length < copiesPerPage) break
  }
  await database.write((tx) => finishSampleRun(tx, taskId, clock.now()))
}

interface CheckOptions {
  readonly isDoubt: boolean
  readonly signal: AbortSignal
}

async function checkOne({ database, clock, checks, counter }: SampleDeps, copy: RemoteCopy, options: CheckOptions): Promise<CopyCheck> {
  const { isDoubt, signal } = options
  signal.throwIfAborted()
  const check = await checks.check(copy, signal)
  await database.write((tx) => recordSample(tx, copy, { ...check, isDoubt, atMs: clock.now() }))
  counter.add(check.result)
  return check
}
