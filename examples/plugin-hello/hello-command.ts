import { defineCommand } from 'svc/kernel'

/** Declared here, which costs nothing; its code is loaded when somebody runs it. */
export const helloCommand = defineCommand({
  name: 'hello',
  summary: 'Greet somebody',
  examples: [
    ['svc hello', 'Greet everybody'],
    ['svc hello Ada --json', 'Greet Ada, for a script'],
  ],
  parameters: ['[name]'],
  flags: { json: { type: 'switch', description: 'Print the result as JSON, alone on standard output' } },
  load: () => import('./run-hello.ts'),
})
