import { clock, defineRoutes, log, optional, serveEndpoint } from '#kernel'
import { contributions, systemState } from '#kernel/system'
import { placements } from '#plugins/replication'
import { type Buckets, buckets, cachedContents, cacheGauge } from '#plugins/storage'
import { chainClient } from '#plugins/wallet'
import { readParts } from '../buckets/read-parts.ts'
import { shownPlacements } from '../buckets/shown-placements.ts'
import { overviewParts } from '../contract.ts'
import { describeCache } from '../system/cache-api.ts'
import { describeSystem } from '../system/describe-system.ts'
import { judgeChain, withWorstLevel } from './judge-chain-policy.ts'
import { type Overview, overview } from './overview-api.ts'
import { summariseStates } from './summarise-states-policy.ts'

const emptyCache = { used_bytes: 0, max_bytes: 0, reserved_bytes: 0, eviction_policy: 'none', eviction_paused: false } as const

/** Other plugins add the tasks and the workers. */
const noTasks = {
  by_status: { pending: 0, running: 0, completed: 0, failed: 0, cancelled: 0 },
  attention: { failed: 0 },
  active_pipeline: [],
}

export const overviewRoutes = defineRoutes({
  name: 'overview',
  uses: {
    buckets,
    placements: shownPlacements,
    replication: optional(placements),
    cacheGauge,
    cachedContents,
    systemState,
    contributions,
    clock,
    log,
    chain: optional(chainClient),
  },
  endpoints: [overview],
  register(app, { buckets, placements, replication, cacheGauge, cachedContents, systemState, contributions, clock, log, chain }) {
    /** A failed part gets the value `otherwise`, because operators need the rest of the overview to find the fault. */
    async function read<T>(part: string, from: () => T | Promise<T>, otherwise: T): Promise<T> {
      try {
        return await from()
      } catch (error) {
        log.warn('a part of the overview could not be read', { part, error })
        return otherwise
      }
    }

    async function summarise(): Promise<Overview> {
      const noBuckets = { buckets: { total: 0, by_status: {} }, objects: { total: 0, total_size_bytes: 0 } }
      const { objects, ...ofBuckets } = await read('buckets', () => summariseBuckets(buckets), noBuckets)
      const confirmations = await read('storage confirmations', () => placements.countConfirmations(), 0)
      const counts = await read('objects', () => placements.countObjects(), undefined)
      const damagedFiles = await read('damaged files', () => cachedContents.countDamaged(), 0)
      const stuckDataSets = await read('data sets without a task', () => placements.countStuckDataSets(), 0)
      const states = summariseStates(counts, { confirmations, stuckDataSets, damagedFiles })
      return {
        ...ofBuckets,
        objects: { ...objects, ...states, ...(replication && counts && { below_target: { ...counts.byWork } }) },
        tasks: noTasks,
        cache: await read('cache', () => describeCache(cacheGauge.stats()), emptyCache),
        workers: {},
        chain_storage_health: replication
          ? judgeChain(await read('data sets', () => placements.countDataSets(), undefined))
          : { level: 'ok', providers: null, data_sets: null, partial_errors: {} },
        system: describeSystem({ state: systemState, nowMs: clock.now(), chain }),
      }
    }

    serveEndpoint(app, overview, async () => {
      const added = readParts({ contributions, log }, overviewParts, (part, services) => part.summarise(services))
      const whole: Record<string, object> = { ...(await summarise()) }
      for (const { part, value } of (await added).parts) whole[part.into] = { ...whole[part.into], ...value }
      return withWorstLevel(whole as Overview)
    })
  },
})

async function summariseBuckets(buckets: Buckets) {
  const { objectCount, totalSizeBytes } = await buckets.totalUsage()
  const total = buckets.list().length
  return {
    buckets: { total, by_status: total === 0 ? {} : { active: total } },
    objects: { total: objectCount, total_size_bytes: totalSizeBytes },
  }
}
