import { type AdminCall, openAdminClient } from '#cli'
import { retryReplacement } from '../api/replacement-api.ts'
import { readId } from './read-id-policy.ts'
import { needsOperator } from './replacement-text-policy.ts'
import { followReplacement } from './show-replacement.ts'

/** Exit code 1: with `--watch` the replacement needed an operator again. */
export async function run(call: AdminCall<{ id: string }, { watch: boolean }>): Promise<number> {
  const id = readId(call.parameters.id, 'a replacement id')
  const client = await openAdminClient(call)
  const known = await client.call(retryReplacement, { params: { id }, body: {} })
  const last = await followReplacement(call, client, { id, known })
  return last && needsOperator(last) ? 1 : 0
}
