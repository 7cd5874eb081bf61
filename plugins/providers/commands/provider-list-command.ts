import { formatTable, readSettings } from '#cli'
import type { CommandCall } from '#kernel'
import { type ListedProvider, readProviderDirectory } from '../../wallet/chain/provider-directory.ts'
import { chainSection } from '../../wallet/settings.ts'
import { chooseNetwork, hostOf, openCommandChain } from '../../wallet/commands/command-chain.ts'
import { isReachable, type PingOptions } from '../../wallet/commands/ping-provider.ts'
import {
  type CheckedProvider,
  countProviders,
  describeProvider,
  type Health,
  providerHeader,
  toProviderRow,
} from './provider-table-policy.ts'

const concurrentPings = 10

export async function run(call: CommandCall): Promise<undefined> {
  const { flags, out } = call
  await using opened = await openCommandChain(call, chooseNetwork(call))
  const { network } = opened.chain
  out.note(`Reading the providers of ${network.name} from ${hostOf(network.rpcUrl)}`)
  const all = await readProviderDirectory(opened.chain)
  const listed = flags.active ? all.filter(({ isActive }) => isActive) : all
  const seen = flags.noHealth
    ? listed.map((provider): CheckedProvider => ({ provider, health: 'skipped' }))
    : await checkHealth(listed, call)
  const text = `${formatTable(providerHeader, seen.map(toProviderRow))}\n\n${countProviders(seen)}`
  out.result(seen.map(describeProvider), text)
}

async function checkHealth(listed: readonly ListedProvider[], call: CommandCall): Promise<readonly CheckedProvider[]> {
  const { allow_private_networks } = readSettings(call, chainSection, ['allow_private_networks'])
  const ping = { timeoutMs: call.flags.timeout as number, egress: { allowPrivateNetworks: allow_private_networks } }
  call.out.note(`Checking the health of ${listed.length} providers`)
  const waiting = listed.map((provider, index) => ({ provider, index }))
  const seen: CheckedProvider[] = []
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      seen[next.index] = { provider: next.provider, health: await healthOf(next.provider, ping) }
    }
  }
  await Promise.all(Array.from({ length: concurrentPings }, work))
  return seen
}

async function healthOf({ serviceUrl }: ListedProvider, ping: PingOptions): Promise<Health> {
  if (serviceUrl === undefined) return 'n/a'
  return (await isReachable(serviceUrl, ping)) ? 'reachable' : 'unreachable'
}
