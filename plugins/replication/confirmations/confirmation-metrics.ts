import { database, defineMetric } from '#kernel'
import { attentionCodes } from '../submissions/attention-policy.ts'
import { countEntries } from './confirmation-store.ts'

/** Every reason has a sample, also at zero. */
export const confirmationMetric = defineMetric({
  name: 'svc_storage_confirmations',
  help: 'Copies whose confirmation needs an operator, by reason.',
  type: 'gauge',
  labels: ['reason_code'],
  uses: { database },
  async collect({ database }) {
    const counts = await countEntries(database.read)
    return attentionCodes.map((reason_code) => ({ labels: { reason_code }, value: counts.get(reason_code) ?? 0 }))
  },
})
