import { type CommandCall, formatTable, readSettings } from '#kernel'
import { type ListedProvider, readProviderDirectory } from '../chain/provider-directory.ts'
import { chainSection } from '../settings.ts'
import { chooseNetwork, hostOf, openCommandChain } from './command-chain.ts'
import { isReachable, type PingOptions } from './ping-provider.ts'
import { countProviders, describeProvider, type Health, providerHeader, type SeenProvider, toProviderRow } from './provider-table-policy.ts'

const pingsAtOnce = 10

export async function run(call: CommandCall): Promise<undefined> {
  const { flags, out } = call
  await using door = await openCommandChain(call, chooseNetwork(call))
  const { network } = door.chain
  out.note(`Reading the providers of ${network.name} from ${hostOf(network.rpcUrl)}`)
  const all = await readProviderDirectory(door.chain)
  const listed = flags.active ? all.filter(({ isActive }) => isActive) : all
  const seen = flags.noHealth ? listed.map((provider): SeenProvider => ({ provider, health: 'skipped' })) : await lookAt(listed, call)
  const text = `${formatTable(providerHeader, seen.map(toProviderRow))}\n\n${countProviders(seen)}`
  out.result(seen.map(describeProvider), text)
}

async function lookAt(listed: readonly ListedProvider[], call: CommandCall): Promise<readonly SeenProvider[]> {
  const { allow_private_networks } = readSettings(call, chainSection, ['allow_private_networks'])
  const ping = { timeoutMs: call.flags.timeout as number, egress: { allowPrivateNetworks: allow_private_networks } }
  call.out.note(`Asking ${listed.length} providers whether they answer`)
  const waiting = listed.map((provider, index) => ({ provider, index }))
  const seen: SeenProvider[] = []
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      seen[next.index] = { provider: next.provider, health: await healthOf(next.provider, ping) }
    }
  }
  await Promise.all(Array.from({ length: pingsAtOnce }, work))
  return seen
}

async function healthOf({ serviceUrl }: ListedProvider, ping: PingOptions): Promise<Health> {
  if (serviceUrl === undefined) return 'n/a'
  return (await isReachable(serviceUrl, ping)) ? 'reachable' : 'unreachable'
}
