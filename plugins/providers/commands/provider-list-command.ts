import { formatTable } from '#cli'
import type { CommandCall } from '#kernel'
import { openChainOf } from '#plugins/wallet'
import { readRegistry } from '../chain/provider-registry.ts'
import { pingAll, pingProvider } from '../client/ping-provider.ts'
import { type CheckedProvider, countProviders, describeProvider, providerHeader, toProviderRow } from './provider-table-policy.ts'

interface ListFlags {
  readonly active: boolean
  readonly network: 'calibration' | 'mainnet' | 'devnet' | undefined
  readonly rpcUrl: string | undefined
  readonly timeout: number
  readonly noHealth: boolean
}

export async function run(call: CommandCall<unknown, ListFlags>): Promise<undefined> {
  const { flags, out } = call
  await using opened = await openChainOf(call)
  out.note(`Reading the providers of ${opened.chain.network.name} from ${opened.host}`)
  const all = await readRegistry(opened.chain)
  const listed = flags.active ? all.filter(({ isActive }) => isActive) : all
  const seen = listed.map((provider): CheckedProvider => ({ provider, health: flags.noHealth ? 'skipped' : 'n/a' }))
  if (!flags.noHealth) {
    const ping = { timeoutMs: flags.timeout, egress: opened.egressOptions() }
    out.note(`Checking the health of ${listed.length} providers`)
    const asked = seen.filter(({ provider }) => provider.serviceUrl !== undefined)
    const answers = await pingAll(asked, ({ provider }) => pingProvider(provider.serviceUrl ?? '', ping))
    for (const [checked, { kind }] of answers) checked.health = kind === 'ok' ? 'reachable' : 'unreachable'
  }
  const text = `${formatTable(providerHeader, seen.map(toProviderRow))}\n\n${countProviders(seen)}`
  out.result(seen.map(describeProvider), text)
}
