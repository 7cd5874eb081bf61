import { adminRoutes, definePlugin } from '#kernel'
import { taskRoutes } from './task-routes.ts'

/** Background tasks, for the operator. The engine itself belongs to the kernel. */
export const tasksPlugin = definePlugin({
  id: 'tasks',
  contributes: [adminRoutes.with(taskRoutes)],
})
