import { clock, defineRoutes, log, serveEndpoint, systemState, taskLedger, workerHealth } from '#kernel'
import { type Buckets, buckets, cacheGauge } from '#plugins/storage'
import { describeCache, describeSystem, describeWorkers } from '../system/describe-system.ts'
import { overview } from './overview-api.ts'
import { summariseTasks } from './summarise-tasks-policy.ts'

const emptyCache = { used_bytes: 0, max_bytes: 0, reserved_bytes: 0, eviction_policy: 'none' } as const

export const overviewRoutes = defineRoutes({
  name: 'overview',
  uses: { buckets, cacheGauge, taskLedger, workerHealth, systemState, clock, log },
  endpoints: [overview],
  register(app, { buckets, cacheGauge, taskLedger, workerHealth, systemState, clock, log }) {
    /** One part that fails must not take the page away that shows what is wrong. */
    function read<T>(part: string, from: () => T, otherwise: T): T {
      try {
        return from()
      } catch (error) {
        log.warn('a part of the overview could not be read', { part, error })
        return otherwise
      }
    }

    serveEndpoint(app, overview, async () => ({
      ...read('buckets', () => summariseBuckets(buckets), { buckets: { total: 0, by_status: {} }, objects: noObjects }),
      tasks: read('tasks', () => summariseTasks(taskLedger.counts(), taskLedger.kinds()), summariseTasks([], new Map())),
      cache: read('cache', () => describeCache(cacheGauge.stats()), emptyCache),
      workers: describeWorkers(workerHealth).workers,
      system: describeSystem(systemState, clock.now()),
    }))
  },
})

const noObjects = { total: 0, total_size_bytes: 0 }

function summariseBuckets(buckets: Buckets) {
  const all = buckets.list()
  const usages = all.map(({ id }) => buckets.usage(id))
  return {
    buckets: { total: all.length, by_status: all.length === 0 ? {} : { active: all.length } },
    objects: {
      total: usages.reduce((sum, { objectCount }) => sum + objectCount, 0),
      total_size_bytes: usages.reduce((sum, { totalSizeBytes }) => sum + totalSizeBytes, 0),
    },
  }
}
