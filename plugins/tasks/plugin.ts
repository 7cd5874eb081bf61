import { adminRoutes, cliCommands, definePlugin } from '#kernel'
import { taskCommands } from './commands/commands.ts'

/** Background tasks, for the operator. The engine itself belongs to the kernel. */
export const tasksPlugin = definePlugin({
  id: 'tasks',
  contributes: [adminRoutes.load(async () => (await import('./task-routes.ts')).taskRoutes), cliCommands.with(...taskCommands)],
})
