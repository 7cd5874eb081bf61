import { isDeepStrictEqual } from 'node:util'
import type { Clock, Database, TaskQueue } from '#kernel'
import type { Bucket } from '#plugins/storage'
import { adminErrors } from '../errors.ts'
import { addBulkAction, type BulkAction, findBulkAction, findBulkActionOfRequest } from './bulk-action-store.ts'
import { bulkActionTask, bulkTaskKey } from './bulk-action-task.ts'

interface RequestDeps {
  readonly clock: Clock
  readonly database: Database
  readonly queue: Pick<TaskQueue, 'add'>
}

interface BulkRequest extends Pick<BulkAction, 'clientRequestId' | 'action' | 'targets' | 'total'> {
  readonly bucket: Pick<Bucket, 'id' | 'name'>
}

/** Records an action with its task. A request that was made before gets its action as it is now. */
export function requestBulkAction({ clock, database, queue }: RequestDeps, { bucket, ...request }: BulkRequest): Promise<BulkAction> {
  const { clientRequestId, action, targets } = request
  return database.write(async (tx) => {
    const known = await findBulkActionOfRequest(tx, clientRequestId)
    if (known) return requireSame(known, { bucket: bucket.name, action, targets })
    const id = await addBulkAction(tx, { ...request, bucketId: bucket.id, bucket: bucket.name, nowMs: clock.now() })
    const added = id === undefined ? undefined : await findBulkAction(tx, id)
    if (!added) throw adminErrors.bulk_action_unfinished()
    const args = { actionId: added.id, bucketId: bucket.id, bucket: bucket.name }
    await queue.add(tx, bulkActionTask, args, { key: bulkTaskKey(added.id) })
    return added
  })
}

/** The action of an earlier request with the same id. Its bucket may be deleted since, by the action itself. */
export function requireSame(known: BulkAction, { bucket, action, targets }: Pick<BulkAction, 'bucket' | 'action' | 'targets'>): BulkAction {
  if (known.bucket === bucket && known.action === action && isDeepStrictEqual(known.targets, targets)) return known
  throw adminErrors.bulk_action_idempotency_conflict()
}
