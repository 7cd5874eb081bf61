import { clock, database, defineTask, done, log, optional, type TaskSchedule } from '#kernel'
import { type } from '#kernel/schema'
import { observabilitySection, providers } from '#plugins/providers'
import { placements, providerDependences, standings } from '#plugins/replication'
import { buckets } from '#plugins/storage'
import { chainSettings, funds } from '#plugins/wallet'
import { replacements } from '../contract.ts'
import { repairSection } from '../settings.ts'

/** Pings come once per interval; one that is late by more than this many says nothing. */
const pingsMissed = 3

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
  async run({ services: { observability, ...deps }, fence, signal }) {
    const { repairRound } = await import('./repair-round.ts')
    const pingKeptMs = pingsMissed * (observability?.interval ?? 5 * 60_000)
    await repairRound({ ...deps, database: fence(deps.database), pingKeptMs }, signal)
    return done()
  },
})

export const repairSchedule: TaskSchedule = { name: 'repairs', cron: '* * * * *', kind: repairTask, args: {} }
