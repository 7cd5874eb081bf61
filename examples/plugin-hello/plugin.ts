import { adminRoutes, cliCommands, configSections, definePlugin, eventKinds, taskKinds } from 'svc/kernel'
import { greeted } from './greeted-event.ts'
import { helloCommand } from './hello-command.ts'
import { helloSection } from './settings.ts'

/** Example of the usual contributions of a plugin. */
export default definePlugin({
  id: 'hello',
  contributes: [
    configSections.with(helloSection),
    eventKinds.with(greeted),
    taskKinds.load(async () => (await import('./greet-task.ts')).greetTask),
    adminRoutes.load(async () => (await import('./hello-routes.ts')).helloRoutes),
    cliCommands.with(helloCommand),
  ],
})
