import { type AdminCall, openAdminClient } from '#cli'
import { readId } from './read-id-policy.ts'
import { followReplacement } from './show-replacement.ts'

export async function run(call: AdminCall<{ id: string }, { watch: boolean }>): Promise<undefined> {
  const id = readId(call.parameters.id, 'a replacement id')
  await followReplacement(call, await openAdminClient(call), { id })
}
