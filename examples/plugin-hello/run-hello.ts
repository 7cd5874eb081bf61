import { readSettings } from 'svc/cli'
import type { CommandCall } from 'svc/kernel'
import { greet } from './greeting.ts'
import { helloSection } from './settings.ts'

export async function run(call: CommandCall): Promise<undefined> {
  const { greeting } = readSettings(call, helloSection, ['greeting'])
  const { name = 'world' } = call.parameters
  const message = greet(greeting, String(name))
  call.out.result({ message }, message)
}
