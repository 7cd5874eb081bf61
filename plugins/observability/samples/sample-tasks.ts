import { clock, database, defineRecovery, defineTask, done, optional, type TaskSchedule, taskQueue, wait } from '#kernel'
import { type } from '#kernel/schema'
import { observabilitySection, samplesSection } from '#plugins/providers'
import { copyChecks } from '#plugins/replication'
import { sampleCounter } from './sample-metrics.ts'

const bytesPerGib = 2 ** 30

/** Checks copies in doubt, and reads random ones, at the interval of the checks. It pays nothing to providers. */
export const sampleCopiesTask = defineTask({
  kind: 'copy_samples',
  label: 'Sample remote copies',
  args: type({}),
  uses: {
    database,
    clock,
    checks: optional(copyChecks),
    counter: sampleCounter,
    limits: optional(samplesSection.settings),
    observability: optional(observabilitySection.settings),
  },
  isRecurring: true,
  subject: () => ({ type: 'system', key: 'samples' }),
  async run({ services: { checks, limits, observability, ...deps }, fence, signal }) {
    if (!checks || !observability || !limits) return done()
    const { sampleCopies } = await import('./sample-copies.ts')
    const { interval: intervalMs } = observability
    const sizes = { perMillionDaily: limits.copies_per_million_daily, bytesDaily: limits.gib_daily * bytesPerGib, intervalMs }
    await sampleCopies({ ...deps, checks, database: fence(deps.database) }, sizes, signal)
    return wait('interval', deps.clock.now() + intervalMs)
  },
})

/** Enqueues the task where it is missing: it waits for its next round by itself. */
export const sampleCopiesSchedule: TaskSchedule = { name: 'samples', cron: '* * * * *', kind: sampleCopiesTask, args: {} }

/** The first round begins with the service. Shares its deduplication key with the schedule. */
export const sampleCopiesRecovery = defineRecovery({
  name: 'observability.samples',
  uses: { database, taskQueue },
  run: async ({ database, taskQueue }) => {
    const key = `${sampleCopiesTask.kind}@${sampleCopiesSchedule.name}`
    await database.write((tx) => taskQueue.add(tx, sampleCopiesTask, {}, { key }))
  },
})

/** The check that an operator requested. */
export const verifyShareTask = defineTask({
  kind: 'copy_verification',
  label: 'Verify remote copies',
  args: type({}),
  uses: { database, clock, checks: optional(copyChecks), counter: sampleCounter },
  subject: () => ({ type: 'system', key: 'samples' }),
  async run({ id, services: { checks, ...deps }, fence, signal }) {
    if (!checks) return done()
    const { verifyShare } = await import('./sample-copies.ts')
    await verifyShare({ ...deps, checks, database: fence(deps.database) }, id, signal)
    return done()
  },
})
