import { adminRoutes, definePlugin, eventKinds } from '#kernel'
import { bucketRoutes } from './buckets/bucket-routes.ts'
import { bucketUpdated } from './buckets/bucket-updated.ts'
import { objectRoutes } from './objects/object-routes.ts'
import { transferRoutes } from './objects/transfer-routes.ts'
import { systemRoutes } from './system/system-routes.ts'

/** Buckets, objects and the service itself, for the operator. */
export const adminPlugin = definePlugin({
  id: 'admin',
  requires: ['storage'],
  contributes: [adminRoutes.with(systemRoutes, bucketRoutes, objectRoutes, transferRoutes), eventKinds.with(bucketUpdated)],
})
