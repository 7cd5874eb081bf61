import { clock, database, defineRoutes, serveEndpoint, taskQueue } from '#kernel'
import { buckets } from '#plugins/storage'
import { paidWork } from '../contract.ts'
import { shareCounts } from '../copies/views/share-count.ts'
import { pipeline } from '../pipeline.ts'
import { countBelowTarget } from './below-target-store.ts'
import { describeRaise } from './describe-raise.ts'
import { previewRaise } from './preview-raise.ts'
import { showRaise, startRaise } from './raise-api.ts'
import { requestRaise } from './request-raise.ts'

export const raiseRoutes = defineRoutes({
  name: 'copy-raises',
  uses: { clock, database, pipeline, buckets, paidWork, queue: taskQueue },
  endpoints: [showRaise, startRaise],
  register(app, { clock, database, pipeline, buckets, paidWork, queue }) {
    const countBelow = shareCounts(clock, (key: string) => {
      const [bucketId = 0, copies = 0] = key.split(' ').map(Number)
      return countBelowTarget(database.read, bucketId, copies)
    })

    serveEndpoint(app, showRaise, async ({ params }) => {
      const bucket = buckets.require(params.name)
      const groups = await countBelow(`${bucket.id} ${bucket.defaultCopies}`)
      return previewRaise({ ...pipeline, paidWork }, bucket, groups)
    })

    serveEndpoint(app, startRaise, async ({ params, body }) => {
      const bucket = buckets.require(params.name)
      const { client_request_id: clientRequestId, target_copies: targetCopies } = body
      const raise = await requestRaise({ clock, database, queue }, { bucket, clientRequestId, targetCopies })
      return { raise: await describeRaise(database.read, bucket.name, raise) }
    })
  },
})
