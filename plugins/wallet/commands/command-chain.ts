import { readSettings } from '#cli'
import { type CommandCall, CommandError } from '#kernel'
import { type Chain, openChain } from '../chain/clients.ts'
import { type NetworkChoice, type NetworkName, resolveNetwork } from '../chain/networks.ts'
import { chainSection } from '../settings.ts'

/** Flags of commands that can read another network than the configured one. */
export interface NetworkFlags {
  readonly network?: NetworkName | undefined
  readonly rpcUrl?: string | undefined
}

interface CommandChain extends AsyncDisposable {
  readonly chain: Chain
}

/** For commands of other plugins that read the chain. */
export async function openChainOf(call: CommandCall<unknown, NetworkFlags>) {
  const { chain, ...opened } = await openCommandChain(call, chooseNetwork(call))
  return {
    ...opened,
    chain,
    host: hostOf(chain.network.rpcUrl),
    egressOptions: () => ({ allowPrivateNetworks: readSettings(call, chainSection, ['allow_private_networks']).allow_private_networks }),
  }
}

/** Chooses network and node from flags, environment and configuration. */
export function chooseNetwork(call: CommandCall<unknown, NetworkFlags>): NetworkChoice {
  const { flags, env } = call
  const requested = flags.network
  const network = requested ?? readSettings(call, chainSection, ['network']).network
  const isFromFile = requested === undefined && env.SVC_CHAIN_NETWORK === undefined
  // The file's chain.rpc_url is valid only for the file's chain.network.
  const mayUseConfigured = isFromFile || env.SVC_CHAIN_RPC_URL !== undefined
  const rpcUrl = flags.rpcUrl ?? (mayUseConfigured ? readSettings(call, chainSection, ['rpc_url']).rpc_url : undefined)
  const devnetInfoPath = network === 'devnet' ? readSettings(call, chainSection, ['devnet_info']).devnet_info : undefined
  return { network, rpcUrl, devnetInfoPath }
}

/** Opens the chain and checks the chain ID of the node. Throws CommandError when it is another network or the node does not answer. */
export async function openCommandChain(call: CommandCall, choice: NetworkChoice): Promise<CommandChain> {
  const { confirmations } = readSettings(call, chainSection, ['confirmations'])
  const chain = openChain({ network: await resolveNetwork(choice), confirmations })
  const { name, chainId, rpcUrl } = chain.network
  try {
    const reported = await chain.reportedChainId().catch((error: unknown) => {
      throw unreachableNode(hostOf(rpcUrl), error)
    })
    if (reported !== chainId)
      throw new CommandError(
        `the node at ${hostOf(rpcUrl)} serves chain ${reported}, but ${name} is chain ${chainId}; check chain.rpc_url and chain.network`,
      )
    return { chain, [Symbol.asyncDispose]: () => chain.close() }
  } catch (error) {
    await chain.close()
    throw error
  }
}

function unreachableNode(host: string, error: unknown): CommandError {
  const { message, cause } = error as Error
  const reason = cause instanceof Error ? cause.message : message
  return new CommandError(`no answer from the chain node ${host} (${reason}); check chain.rpc_url, or set SVC_CHAIN_RPC_URL`, {
    cause: error,
  })
}

/** Scheme and host only: the rest of an RPC URL may contain an access token (I-10). */
export function hostOf(url: string): string {
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}`
}
