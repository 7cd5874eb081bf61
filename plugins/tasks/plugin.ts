import { adminRoutes, cliCommands, definePlugin } from '#kernel'
import { taskCommands } from './commands/commands.ts'

/** Admin routes and commands for background tasks. The engine is in the kernel. */
export const tasksPlugin = definePlugin({
  id: 'tasks',
  contributes: [adminRoutes.load(async () => (await import('./task-routes.ts')).taskRoutes), cliCommands.with(...taskCommands)],
})
