import { openAdminClient } from '#cli'
import { listProviders } from '../providers/provider-api.ts'
import { type ProviderListCall, showProviders, toQuery } from './show-providers.ts'

export async function run(call: ProviderListCall): Promise<undefined> {
  const client = await openAdminClient(call)
  const page = await client.call(listProviders, { query: toQuery(call.flags) })
  call.out.result(page, showProviders(page))
}
