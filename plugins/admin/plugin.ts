import { adminRoutes, definePlugin } from '#kernel'
import { bucketRoutes } from './buckets/bucket-routes.ts'
import { objectRoutes } from './objects/object-routes.ts'
import { systemRoutes } from './system/system-routes.ts'

/** Buckets, objects and the service itself, for the operator. */
export const adminPlugin = definePlugin({
  id: 'admin',
  requires: ['storage'],
  contributes: [adminRoutes.with(systemRoutes, bucketRoutes, objectRoutes)],
})
