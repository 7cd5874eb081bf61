import { database, defineMetric, taskQueue } from '#kernel'
import type { ObjectState } from '../../contract.ts'
import { countStates } from './state-counts.ts'

const states: readonly ObjectState[] = ['cached', 'uploading', 'committing', 'replicating', 'stored', 'failed']

/** Every state has a sample, also at zero. */
export const objectStateMetric = defineMetric({
  name: 'svc_object_state_distribution',
  help: 'Current object versions by state; counted at most every 30 seconds.',
  type: 'gauge',
  labels: ['state'],
  uses: { database, taskQueue },
  keepMs: 30_000,
  series: [
    {
      name: 'objects_under_target',
      label: 'Objects that lack copies',
      unit: 'count',
      where: { state: states.filter((state) => state !== 'stored') },
    },
  ],
  async collect({ database, taskQueue }) {
    const { byState } = await countStates(database, taskQueue)
    return states.map((state) => ({ labels: { state }, value: byState.get(state) ?? 0 }))
  },
})
