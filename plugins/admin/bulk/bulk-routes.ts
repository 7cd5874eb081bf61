import { clock, database, defineRoutes, events, formatTime, serveEndpoint, taskQueue } from '#kernel'
import { buckets, bucketUpdated, uploads, versions } from '#plugins/storage'
import { requireBucket } from '../buckets/require-bucket.ts'
import { adminErrors } from '../errors.ts'
import {
  type BulkAction,
  endBulkAction,
  findBulkAction,
  findBulkActionOfRequest,
  listBulkActions as listActions,
} from './bulk-action-store.ts'
import { type BulkActionAnswer, listBulkActions, previewBulkAction, showBulkAction, startBulkAction, stopBulkAction } from './bulk-api.ts'
import { sumTargets } from './bulk-sum-store.ts'
import { requestBulkAction, requireSame } from './request-bulk-action.ts'
import { untilAnswered } from './until-answered.ts'

/** Actions of a bucket in a list. */
const listedMax = 20
/** Open uploads that a preview counts. */
const countedUploadsMax = 1000

export const bulkRoutes = defineRoutes({
  name: 'bulk-actions',
  uses: { clock, database, events, buckets, uploads, versions, queue: taskQueue },
  endpoints: [listBulkActions, previewBulkAction, startBulkAction, showBulkAction, stopBulkAction],
  register(app, { clock, database, events, buckets, uploads, versions, queue }) {
    const requireAction = async (id: number): Promise<BulkAction> => {
      const found = await findBulkAction(database.read, id)
      if (!found) throw adminErrors.bulk_action_not_found()
      return found
    }

    serveEndpoint(app, listBulkActions, async ({ params }) => {
      const { id } = requireBucket(buckets, params.name)
      return { actions: (await listActions(database.read, id, listedMax)).map(describeAction) }
    })

    serveEndpoint(app, previewBulkAction, async ({ params, body, reply }) => {
      const bucket = requireBucket(buckets, params.name)
      const sum = await sumTargets({ read: database.read, versions }, bucket.id, body, { signal: untilAnswered(reply) })
      const open = body.action === 'delete_bucket' ? await uploads.list({ bucket, limit: countedUploadsMax }) : undefined
      return {
        objects: sum.objects,
        versions: sum.versions,
        bytes: String(sum.bytes),
        open_uploads: open?.uploads.length ?? 0,
        open_uploads_exceed: open?.isTruncated ?? false,
      }
    })

    serveEndpoint(app, startBulkAction, async ({ params, body, reply }) => {
      const { action, targets, client_request_id: clientRequestId, confirm } = body
      const known = await findBulkActionOfRequest(database.read, clientRequestId)
      if (known) return describeAction(requireSame(known, { bucket: params.name, action, targets }))
      const bucket = requireBucket(buckets, params.name)
      const isPermanent = action === 'delete_permanently' || action === 'delete_bucket'
      if (isPermanent && confirm !== bucket.name) throw adminErrors.bulk_action_unconfirmed()
      const sum = await sumTargets({ read: database.read, versions }, bucket.id, { action, targets }, { signal: untilAnswered(reply) })
      const total = action === 'delete_bucket' ? sum.versions : sum.objects
      const added = await requestBulkAction({ clock, database, queue }, { bucket, clientRequestId, action, targets, total })
      // The details of the bucket name the action.
      events.publish(bucketUpdated, { bucket_name: bucket.name })
      return describeAction(added)
    })

    serveEndpoint(app, showBulkAction, async ({ params }) => describeAction(await requireAction(params.id)))

    serveEndpoint(app, stopBulkAction, async ({ params }) => {
      const { id } = await requireAction(params.id)
      await database.write((tx) => endBulkAction(tx, { id, status: 'stopped', problem: null, nowMs: clock.now() }))
      return describeAction(await requireAction(id))
    })
  },
})

const describeAction = (action: BulkAction): BulkActionAnswer => ({
  id: action.id,
  bucket: action.bucket,
  client_request_id: action.clientRequestId,
  action: action.action,
  status: action.status,
  total: action.total,
  done: action.done,
  skipped: action.skipped,
  busy: action.busy,
  ...(action.problem === null ? {} : { problem: action.problem }),
  created_at: formatTime(action.createdAtMs),
  updated_at: formatTime(action.updatedAtMs),
  ...(action.finishedAtMs === null ? {} : { finished_at: formatTime(action.finishedAtMs) }),
})
