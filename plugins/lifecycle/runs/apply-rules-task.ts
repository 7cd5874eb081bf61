import { clock, database, defineTask } from '#kernel'
import { type } from '#kernel/schema'
import { lifecycleRules } from '#plugins/s3'
import { buckets, objects, uploads, versions } from '#plugins/storage'
import { lifecycleSection } from '../settings.ts'
import { actionCounts } from './action-counts.ts'

export const applyKey = (bucketId: number): string => `lifecycle:${bucketId}`

/** Deletes what the rules of a bucket let expire until a time. */
export const applyRulesTask = defineTask({
  kind: 'lifecycle_apply',
  label: 'Carry out lifecycle rules',
  retry: { level: 'danger', text: 'The rules of the bucket go on deleting what has expired.' },
  args: type({ bucketId: 'number.integer > 0', bucket: 'string', dueMs: 'number.integer >= 0' }),
  uses: { clock, database, buckets, objects, versions, uploads, lifecycleRules, settings: lifecycleSection.settings, actionCounts },
  attempts: 5,
  // Other tasks keep their runs when many buckets have rules.
  concurrency: 1,
  isRecurring: true,
  subject: ({ bucketId, bucket }) => ({ type: 'bucket', key: String(bucketId), bucket }),
  async run({ services, args, signal, fence, holdLease, progressed, log }) {
    const { applyRules } = await import('./apply-rules.ts')
    return applyRules({ ...services, database: fence(services.database), holdLease, progressed, log }, args, signal)
  },
})
