import { type CommandCall, CommandError, readSettings } from '#kernel'
import { type Chain, openChain } from '../chain/clients.ts'
import { type NetworkChoice, type NetworkName, resolveNetwork } from '../chain/networks.ts'
import { chainSection } from '../settings.ts'

export interface CommandChain extends AsyncDisposable {
  readonly chain: Chain
}

/** The network and node to use where flags may choose others than the configuration. */
export function chooseNetwork(call: CommandCall): NetworkChoice {
  const { flags, env } = call
  const asked = flags.network as NetworkName | undefined
  const network = asked ?? readSettings(call, chainSection, ['network']).network
  const isFromFile = asked === undefined && env.SVC_CHAIN_NETWORK === undefined
  // A node in the file belongs to the network in the file.
  const mayUseConfigured = isFromFile || env.SVC_CHAIN_RPC_URL !== undefined
  const rpcUrl =
    (flags.rpcUrl as string | undefined) ?? (mayUseConfigured ? readSettings(call, chainSection, ['rpc_url']).rpc_url : undefined)
  const devnetInfoPath = network === 'devnet' ? readSettings(call, chainSection, ['devnet_info']).devnet_info : undefined
  return { network, rpcUrl, devnetInfoPath }
}

/** The chain of the choice, once its node has said that it is of that network. Throws CommandError when it is of another. */
export async function openCommandChain(call: CommandCall, choice: NetworkChoice): Promise<CommandChain> {
  const { confirmations } = readSettings(call, chainSection, ['confirmations'])
  const chain = openChain({ network: await resolveNetwork(choice), confirmations })
  const { name, chainId, rpcUrl } = chain.network
  try {
    const reported = await chain.reportedChainId().catch((error: unknown) => {
      throw silentNode(hostOf(rpcUrl), error)
    })
    if (reported !== chainId)
      throw new CommandError(`the node at ${hostOf(rpcUrl)} is of chain ${reported}, but ${name} is chain ${chainId}`)
    return { chain, [Symbol.asyncDispose]: () => chain.close() }
  } catch (error) {
    await chain.close()
    throw error
  }
}

function silentNode(host: string, error: unknown): CommandError {
  const { message, cause } = error as Error
  const reason = cause instanceof Error ? cause.message : message
  return new CommandError(`no answer from the chain node ${host} (${reason}); check chain.rpc_url, or set SVC_CHAIN_RPC_URL`, {
    cause: error,
  })
}

/** Scheme and host alone: the rest of an RPC URL often holds an access token (I-10). */
export function hostOf(url: string): string {
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}`
}
