import { database, defineRecovery, defineTask, taskQueue } from '#kernel'
import { type } from '#kernel/schema'
import { pipeline, pipelineOf } from '../pipeline.ts'
import { taskKeys } from '../task-keys.ts'
import { unfinishedRaises } from './raise-store.ts'

/** Brings the contents of a bucket up to its present number of copies. */
export const raiseTask = defineTask({
  kind: 'storage_raise_copies',
  label: 'Raise copies of a bucket',
  args: type({ raiseId: 'number.integer > 0', bucketId: 'number.integer > 0', bucket: 'string' }),
  uses: { pipeline },
  subject: ({ bucketId, bucket }) => ({ type: 'bucket', key: String(bucketId), bucket }),
  run: async (run) => {
    const { raiseCopies } = await import('./raise-copies.ts')
    return raiseCopies(pipelineOf(run), run.args.raiseId, run.signal)
  },
})

/** Continues the raises of earlier starts. */
export const raiseRecovery = defineRecovery({
  name: 'storage.raises',
  uses: { database, queue: taskQueue },
  run: ({ database, queue }) =>
    database.write(async (tx) => {
      for (const raise of await unfinishedRaises(tx)) await queue.add(tx, raiseTask, raise, { key: taskKeys.raise(raise.raiseId) })
    }),
})
