import { clock, database, defineRecovery, defineTask, log, optional, type TaskSchedule, taskQueue, wait } from '#kernel'
import { type } from '#kernel/schema'
import { observabilitySection, providers } from '#plugins/providers'
import { placements, providerDependences, standings } from '#plugins/replication'
import { buckets } from '#plugins/storage'
import { chainSettings, funds } from '#plugins/wallet'
import { replacements } from '../contract.ts'
import { repairSection } from '../settings.ts'

/** Pings come once per interval; one that is late by more than this many says nothing. */
const pingsMissed = 3

/** Pause between two rounds. */
const roundMs = 60_000

/** Looks for replicas to repair, and for lost contents. It pays nothing itself: replacements do. */
export const repairTask = defineTask({
  kind: 'storage_repair',
  label: 'Repair replicas',
  args: type({}),
  uses: {
    buckets,
    chainSettings,
    clock,
    database,
    dependences: providerDependences,
    funds,
    log,
    observability: optional(observabilitySection.settings),
    placements,
    providers,
    replacements,
    settings: repairSection.settings,
    standings,
  },
  isRecurring: true,
  subject: () => ({ type: 'system', key: 'repairs' }),
  async run({ services: { observability, ...deps }, fence, holdLease, signal }) {
    const { repairRound } = await import('./repair-round.ts')
    const pingKeptMs = pingsMissed * (observability?.interval ?? 5 * 60_000)
    await repairRound({ ...deps, database: fence(deps.database), pingKeptMs, holdLease }, signal)
    return wait('interval', deps.clock.now() + roundMs)
  },
})

/** Enqueues the task where it is missing: it waits for its next round by itself. */
export const repairSchedule: TaskSchedule = { name: 'repairs', cron: '* * * * *', kind: repairTask, args: {} }

/** The first round is that of the start. Shares its deduplication key with the schedule. */
export const repairRecovery = defineRecovery({
  name: 'repairs',
  uses: { database, queue: taskQueue },
  async run({ database, queue }) {
    const key = `${repairTask.kind}@${repairSchedule.name}`
    await database.write((tx) => queue.add(tx, repairTask, {}, { key }))
  },
})
