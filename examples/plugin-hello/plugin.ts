import { adminRoutes, cliCommands, configSections, definePlugin, eventKinds, taskKinds } from 'svc/kernel'
import { greetTask } from './greet-task.ts'
import { greeted } from './greeted-event.ts'
import { helloCommand } from './hello-command.ts'
import { helloRoutes } from './hello-routes.ts'
import { helloSection } from './settings.ts'

/** Example of the usual contributions of a plugin. */
export default definePlugin({
  id: 'hello',
  contributes: [
    configSections.with(helloSection),
    eventKinds.with(greeted),
    taskKinds.with(greetTask),
    adminRoutes.with(helloRoutes),
    cliCommands.with(helloCommand),
  ],
})
