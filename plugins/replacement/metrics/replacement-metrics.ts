import { database, defineMetric } from '#kernel'
import { replacementStatuses } from '../states/replacement-transitions-policy.ts'
import { countReplacements } from './replacement-counts-store.ts'

/** Every status is shown, so that alerts see the first failure. */
export const replacementMetric = defineMetric({
  name: 'svc_storage_replacements',
  help: 'Replacements of storage providers by status. Those that failed or need an operator do not continue by themselves.',
  type: 'gauge',
  labels: ['status'],
  uses: { database },
  async collect({ database }) {
    const counts = await countReplacements(database.read)
    return replacementStatuses.map((status) => ({ labels: { status }, value: counts.get(status) ?? 0 }))
  },
})
