import { database, defineMetric } from '#kernel'
import { placements } from '../contract.ts'
import { countStuckSets, setWorks } from '../stuck/stuck-sets-store.ts'

/** Counting takes as long as that of the states of objects. */
const keepMs = 30_000

export const stuckObjectsMetric = defineMetric({
  name: 'svc_stuck_objects',
  help: 'Current object versions below their target that no task works on, also those that failed; counted at most every 30 seconds.',
  type: 'gauge',
  labels: [],
  uses: { placements },
  keepMs,
  collect: async ({ placements }) => [{ labels: {}, value: (await placements.countObjects()).byWork.stuck }],
})

/** Every task has a sample, also at zero. */
export const stuckDataSetsMetric = defineMetric({
  name: 'svc_stuck_data_sets',
  help: 'Data sets that need a task and have none, by task; counted at most every 30 seconds.',
  type: 'gauge',
  labels: ['task'],
  uses: { database },
  keepMs,
  async collect({ database }) {
    const counts = await countStuckSets(database.read)
    return setWorks.map((task) => ({ labels: { task }, value: counts[task] }))
  },
})
