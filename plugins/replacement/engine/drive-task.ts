import { defineTask, type TaskQueue, type Tx } from '#kernel'
import { type } from '#kernel/schema'
import { engine } from './engine.ts'

/** Moves a replica to another provider, step by step. It pays nothing itself: the tasks of data sets and copies do. */
export const driveReplacementTask = defineTask({
  kind: 'storage_replacement',
  label: 'Replace a storage provider',
  retry: false,
  args: type({ replacementId: 'number.integer > 0' }),
  uses: { engine },
  // A step that fails is repeated with growing pauses: only its rows say that a replacement has failed.
  attempts: Number.POSITIVE_INFINITY,
  subject: ({ replacementId }) => ({ type: 'storage_replacement', key: String(replacementId) }),
  run: async ({ args, services, fence, signal }) => {
    const { drive } = await import('./drive.ts')
    return drive({ ...services.engine, database: fence(services.engine.database) }, args.replacementId, signal)
  },
})

export const driveKey = (replacementId: number): string => `storage_replacement:${replacementId}`

/** The next step runs now. */
export async function scheduleDrive(queue: Pick<TaskQueue, 'add'>, tx: Tx, replacementId: number): Promise<void> {
  await queue.add(tx, driveReplacementTask, { replacementId }, { key: driveKey(replacementId) })
}
