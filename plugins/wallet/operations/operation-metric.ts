import { database, defineMetric } from '#kernel'
import { countOperations } from './operation-record-store.ts'
import { operationStatuses, operationTypes } from './operations-api.ts'

const types = [...operationTypes, 'terminate'] as const

/** Every type and status is shown, so that alerts see the first operation of a kind. */
export const operationMetric = defineMetric({
  name: 'svc_wallet_operations',
  help: 'Operations of the wallet by type and status. Pending, submitted and unknown ones have no final outcome yet.',
  type: 'gauge',
  labels: ['type', 'status'],
  uses: { database },
  async collect({ database }) {
    const counts = await countOperations(database.read)
    return types.flatMap((type) =>
      operationStatuses.map((status) => ({
        labels: { type, status },
        value: counts.find((one) => one.type === type && one.status === status)?.count ?? 0,
      })),
    )
  },
})
