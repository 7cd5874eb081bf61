import { openAdminClient } from '#cli'
import { refreshProviders } from '../providers/provider-api.ts'
import { type ProviderListCall, showProviders, toQuery } from './show-providers.ts'

export async function run(call: ProviderListCall): Promise<undefined> {
  const client = await openAdminClient(call)
  call.out.note('Reading the registry and pinging the providers')
  const page = await client.call(refreshProviders, { query: toQuery(call.flags) })
  call.out.result(page, showProviders(page))
}
