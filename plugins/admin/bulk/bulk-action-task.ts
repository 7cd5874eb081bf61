import { clock, database, defineRecovery, defineTask, taskQueue } from '#kernel'
import { type } from '#kernel/schema'
import { buckets, objects, versions } from '#plugins/storage'
import { runningBulkActions } from './bulk-action-store.ts'

export const bulkTaskKey = (id: number): string => `bulk-action:${id}`

/** Changes many objects of a bucket, page by page. */
export const bulkActionTask = defineTask({
  kind: 'bulk_action',
  label: 'Change many objects',
  retry: { level: 'danger', text: 'The action continues: what it deletes permanently cannot be restored.' },
  args: type({ actionId: 'number.integer > 0', bucketId: 'number.integer > 0', bucket: 'string' }),
  uses: { clock, database, buckets, objects, versions },
  subject: ({ bucketId, bucket }) => ({ type: 'bucket', key: String(bucketId), bucket }),
  run: async ({ services, args, signal, fence, progressed }) => {
    const { runBulkAction } = await import('./run-bulk-action.ts')
    return runBulkAction({ ...services, database: fence(services.database), progressed }, args.actionId, signal)
  },
})

/** Continues the actions of earlier starts. */
export const bulkRecovery = defineRecovery({
  name: 'admin.bulk-actions',
  uses: { database, queue: taskQueue },
  run: ({ database, queue }) =>
    database.write(async (tx) => {
      for (const action of await runningBulkActions(tx)) {
        await queue.add(tx, bulkActionTask, action, { key: bulkTaskKey(action.actionId) })
      }
    }),
})
