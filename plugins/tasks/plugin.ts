import { adminRoutes, cliCommands, definePlugin } from '#kernel'
import { taskCommands } from './commands/commands.ts'
import { taskRoutes } from './task-routes.ts'

/** Admin routes and commands for background tasks. The engine is in the kernel. */
export const tasksPlugin = definePlugin({
  id: 'tasks',
  contributes: [adminRoutes.with(taskRoutes), cliCommands.with(...taskCommands)],
})
