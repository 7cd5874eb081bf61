/** Chain IDs, addresses and timing of calibration, mainnet and a local devnet. */
import { readFile } from 'node:fs/promises'
import { type Address, getAddress, isAddress } from 'viem'
import { type } from '#kernel/schema'
import { publicNetworks } from './synapse-constants.ts'

export type NetworkName = 'calibration' | 'mainnet' | 'devnet'

interface ChainContracts {
  readonly usdfc: Address
  readonly filecoinPay: Address
  /** FilecoinWarmStorageService proxy: record keeper of data sets, payment operator, verifying contract of signatures. */
  readonly fwss: Address
  readonly pdpVerifier: Address
  readonly registry: Address
  readonly endorsements: Address
  readonly multicall3: Address
}

export interface ChainNetwork {
  readonly name: NetworkName
  readonly chainId: number
  /** http(s) or ws(s). */
  readonly rpcUrl: string
  readonly contracts: ChainContracts
  /** Symbol of the gas token. */
  readonly nativeSymbol: string
  /** Epoch duration, which is also the block time. */
  readonly epochSeconds: number
  /** Unix seconds of epoch 0. */
  readonly genesisTimestamp: number
  /** Default of chain.confirmations. */
  readonly confirmationsDefault: number
  /** Default of chain.finality_epochs. */
  readonly finalityDefault: number
  /** Epochs beyond finality after which the answer of a single node suffices to delete records. */
  readonly singleSourceEpochs: number
}

export interface NetworkChoice {
  readonly network: NetworkName
  /** Replaces the network's public RPC; http(s) or ws(s). */
  readonly rpcUrl?: string | undefined
  /** Path of a devnet-info.json; required for `devnet`, rejected for other networks. */
  readonly devnetInfoPath?: string | undefined
}

/** Default RPC URLs. */
export const publicRpcUrls = { calibration: publicNetworks.calibration.rpcUrl, mainnet: publicNetworks.mainnet.rpcUrl } as const

/** The choice is invalid. The message is for the operator and names the setting. */
class NetworkChoiceRefused extends Error {
  override readonly name = 'NetworkChoiceRefused'
  readonly code = 'network_choice_refused'
}

const publicEpochSeconds = 30
const publicConfirmations = 5
/** Finality of Filecoin's expected consensus. */
const publicFinality = 900
/** An hour, in which the operator sees the warnings about a wrong node. */
const publicSingleSource = 120
const devnetChainId = 31415926
const devnetEpochSeconds = 1
const devnetConfirmations = 1
const devnetFinality = 3
const devnetSingleSource = 2

/**
 * Resolves the operator's choice to addresses and timing without chain requests.
 * @throws NetworkChoiceRefused when the RPC URL, the devnet info path or the content of the file is invalid
 */
export async function resolveNetwork(choice: NetworkChoice): Promise<ChainNetwork> {
  if (choice.rpcUrl !== undefined) requireRpcUrl(choice.rpcUrl)
  if (choice.network === 'devnet') return await readDevnet(choice)
  if (choice.devnetInfoPath !== undefined) {
    throw new NetworkChoiceRefused(`chain.devnet_info is only for chain.network = "devnet", not "${choice.network}"; remove one of them.`)
  }
  const known = publicNetworks[choice.network]
  return {
    ...known,
    name: choice.network,
    rpcUrl: choice.rpcUrl ?? known.rpcUrl,
    epochSeconds: publicEpochSeconds,
    confirmationsDefault: publicConfirmations,
    finalityDefault: publicFinality,
    singleSourceEpochs: publicSingleSource,
  }
}

/** The node of these settings while `chain.rpc_url` is not set; undefined for a devnet that cannot be read. */
export async function defaultRpcUrl(values: ReadonlyMap<string, unknown>): Promise<string | undefined> {
  const network = values.get('chain.network')
  if (network === 'calibration' || network === 'mainnet') return publicRpcUrls[network]
  const path = values.get('chain.devnet_info')
  if (network !== 'devnet' || typeof path !== 'string') return undefined
  try {
    return (await readDevnetInfo(path)).info.lotus.host_rpc_url
  } catch (error) {
    // The readiness checks report it.
    if (error instanceof NetworkChoiceRefused) return undefined
    throw error
  }
}

/** Start of `epoch` in Unix milliseconds. */
export function epochToMs(network: Pick<ChainNetwork, 'genesisTimestamp' | 'epochSeconds'>, epoch: bigint): number {
  return Math.round((network.genesisTimestamp + Number(epoch) * network.epochSeconds) * 1000)
}

/** The epoch that contains `ms` (Unix milliseconds). */
export function msToEpoch(network: Pick<ChainNetwork, 'genesisTimestamp' | 'epochSeconds'>, ms: number): bigint {
  return BigInt(Math.max(0, Math.floor((ms / 1000 - network.genesisTimestamp) / network.epochSeconds)))
}

function requireRpcUrl(url: string): void {
  const protocol = URL.canParse(url) ? new URL(url).protocol : ''
  if (!['http:', 'https:', 'ws:', 'wss:'].includes(protocol)) {
    throw new NetworkChoiceRefused('chain.rpc_url must be an http(s) or ws(s) URL.')
  }
}

const address = type('string').narrow((value, ctx) => isAddress(value, { strict: false }) || ctx.mustBe('an 0x address'))

/** The members that svc reads of a devnet-info.json; others are ignored. */
const devnetInfo = type({
  version: '1 | 2',
  info: {
    start_time: 'string',
    contracts: {
      multicall3_addr: address,
      mockusdfc_addr: address,
      fwss_service_proxy_addr: address,
      pdp_verifier_proxy_addr: address,
      service_provider_registry_proxy_addr: address,
      filecoin_pay_v1_addr: address,
      endorsements_addr: address,
    },
    lotus: { host_rpc_url: 'string' },
    // Written by svc's own devnet; 0: it mines on demand.
    'block_time_seconds?': 'number >= 0',
    // Fractional when the block time is below a second.
    'genesis_timestamp?': 'number',
  },
})

async function readDevnet(choice: NetworkChoice): Promise<ChainNetwork> {
  if (choice.devnetInfoPath === undefined) {
    throw new NetworkChoiceRefused('chain.network = "devnet" needs chain.devnet_info, the path of a devnet-info.json.')
  }
  const { info } = await readDevnetInfo(choice.devnetInfoPath)
  const startSeconds = Math.floor(Date.parse(info.start_time) / 1000)
  return {
    name: 'devnet',
    chainId: devnetChainId,
    rpcUrl: choice.rpcUrl ?? info.lotus.host_rpc_url,
    contracts: {
      usdfc: getAddress(info.contracts.mockusdfc_addr),
      filecoinPay: getAddress(info.contracts.filecoin_pay_v1_addr),
      fwss: getAddress(info.contracts.fwss_service_proxy_addr),
      pdpVerifier: getAddress(info.contracts.pdp_verifier_proxy_addr),
      registry: getAddress(info.contracts.service_provider_registry_proxy_addr),
      endorsements: getAddress(info.contracts.endorsements_addr),
      multicall3: getAddress(info.contracts.multicall3_addr),
    },
    nativeSymbol: 'FIL',
    epochSeconds: info.block_time_seconds || devnetEpochSeconds,
    // Default: a devnet starts at epoch 0.
    genesisTimestamp: info.genesis_timestamp ?? (Number.isNaN(startSeconds) ? 0 : startSeconds),
    confirmationsDefault: devnetConfirmations,
    finalityDefault: devnetFinality,
    singleSourceEpochs: devnetSingleSource,
  }
}

async function readDevnetInfo(path: string): Promise<typeof devnetInfo.infer> {
  let content: unknown
  try {
    content = JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    throw new NetworkChoiceRefused(`chain.devnet_info: cannot read ${path} as JSON; start the devnet, or correct the path.`, {
      cause: error,
    })
  }
  const checked = devnetInfo(content)
  if (checked instanceof type.errors)
    throw new NetworkChoiceRefused(`chain.devnet_info: ${path} is not a valid devnet-info.json: ${checked.summary}`)
  return checked
}
