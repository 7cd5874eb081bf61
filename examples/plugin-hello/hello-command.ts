import { defineCommand } from 'svc/kernel'

/** Only the declaration: the code is loaded when the command runs. */
export const helloCommand = defineCommand({
  name: 'hello',
  summary: 'Greet somebody',
  examples: [
    ['svc hello', 'Greet the world'],
    ['svc hello Ada --json', 'Greet Ada, with JSON output'],
  ],
  parameters: ['[name]'],
  flags: { json: { type: 'switch', description: 'Print the result as JSON, alone on standard output' } },
  load: () => import('./run-hello.ts'),
})
