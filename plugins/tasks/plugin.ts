import { adminRoutes, cliCommands, definePlugin } from '#kernel'
import { taskCommands } from './commands/commands.ts'
import { taskRoutes } from './task-routes.ts'

/** Background tasks, for the operator. The engine itself belongs to the kernel. */
export const tasksPlugin = definePlugin({
  id: 'tasks',
  contributes: [adminRoutes.with(taskRoutes), cliCommands.with(...taskCommands)],
})
