import { readSettings } from 'svc/cli'
import type { CommandCall } from 'svc/kernel'
import { greet } from './greeting.ts'
import { helloSection } from './settings.ts'

export async function run(call: CommandCall<{ name: string | undefined }>): Promise<undefined> {
  const { greeting } = readSettings(call, helloSection, ['greeting'])
  const { name = 'world' } = call.parameters
  const message = greet(greeting, name)
  call.out.result({ message }, message)
}
