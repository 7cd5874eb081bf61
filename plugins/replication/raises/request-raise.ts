import type { Clock, Database, TaskQueue } from '#kernel'
import type { Bucket } from '#plugins/storage'
import { replicationErrors } from '../errors.ts'
import { taskKeys } from '../task-keys.ts'
import { addRaise, findRaise, findRaiseOfRequest, type Raise } from './raise-store.ts'
import { raiseTask } from './raise-task.ts'

interface RequestDeps {
  readonly clock: Clock
  readonly database: Database
  readonly queue: Pick<TaskQueue, 'add'>
}

interface RaiseRequest {
  readonly bucket: Pick<Bucket, 'id' | 'name' | 'defaultCopies'>
  readonly clientRequestId: string
  readonly targetCopies: number
}

/** Records a raise with its task. A request that was made before gets its raise as it is now; one that is not completed runs again. */
export function requestRaise({ clock, database, queue }: RequestDeps, request: RaiseRequest): Promise<Raise> {
  const { bucket, clientRequestId, targetCopies } = request
  return database.write(async (tx) => {
    const known = await findRaiseOfRequest(tx, clientRequestId)
    if (known && (known.bucketId !== bucket.id || known.targetCopies !== targetCopies))
      throw replicationErrors.copy_raise_idempotency_conflict()
    if (known?.status === 'completed') return known
    if (!known && targetCopies !== bucket.defaultCopies) throw replicationErrors.copy_raise_target_changed()
    const id = known?.id ?? (await addRaise(tx, { bucketId: bucket.id, clientRequestId, targetCopies, nowMs: clock.now() }))
    const raise = id === undefined ? undefined : await findRaise(tx, id)
    if (!raise) throw replicationErrors.copy_raise_unfinished()
    await queue.add(tx, raiseTask, { raiseId: raise.id, bucketId: bucket.id, bucket: bucket.name }, { key: taskKeys.raise(raise.id) })
    return raise
  })
}
