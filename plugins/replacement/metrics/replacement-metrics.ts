import { database, defineMetric } from '#kernel'
import { waitReasons } from '../contract.ts'
import { replacementStatuses } from '../states/replacement-transitions-policy.ts'
import { countReplacements, countWaitingReplacements } from './replacement-counts-store.ts'

/** Every label is shown, so that alerts see the first one. */
export const replacementMetrics = [
  defineMetric({
    name: 'svc_storage_replacements',
    help: 'Replacements of storage providers by status. Those that failed or need an operator do not continue by themselves.',
    type: 'gauge',
    labels: ['status'],
    uses: { database },
    async collect({ database }) {
      const counts = await countReplacements(database.read)
      return replacementStatuses.map((status) => ({ labels: { status }, value: counts.get(status) ?? 0 }))
    },
  }),
  defineMetric({
    name: 'svc_storage_replacements_waiting',
    help: 'Replacements of storage providers that wait, by what they wait for. They continue by themselves.',
    type: 'gauge',
    labels: ['reason'],
    uses: { database },
    async collect({ database }) {
      const counts = await countWaitingReplacements(database.read)
      return waitReasons.map((reason) => ({ labels: { reason }, value: counts.get(reason) ?? 0 }))
    },
  }),
]
