import {
  type Abi,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  createPublicClient,
  defineChain,
  http,
  type PublicClient,
  parseAbi,
  type ReadContractParameters,
  type ReadContractReturnType,
  type Transport,
  webSocket,
} from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { agreeingTransport } from './agreeing-transport.ts'
import { boundedFetch, boundedTransport } from './bounded-transport.ts'
import { toChainError } from './chain-error.ts'
import { createEpochGuard } from './epoch-guard.ts'
import { chooseFinalized } from './finalized-policy.ts'
import { type ChainNetwork, epochToMs } from './networks.ts'

type View = 'pure' | 'view'

/** Calls a view function with the arguments of viem's `readContract`, except the block. */
type ChainRead = <
  const abi extends Abi | readonly unknown[],
  name extends ContractFunctionName<abi, View>,
  const args extends ContractFunctionArgs<abi, View, name>,
>(
  call: Omit<ReadContractParameters<abi, name, args>, 'blockNumber' | 'blockTag'>,
) => Promise<ReadContractReturnType<abi, name, args>>

/**
 * The chain client. Every member rejects with `ChainUnreachable` or, for contract calls, `ChainReverted`. Reads started in the same turn of
 * the event loop are sent as one multicall, so start them in parallel.
 */
export interface Chain {
  readonly network: ChainNetwork
  readonly publicClient: PublicClient
  /** Depth of `finalEpoch` in epochs. */
  readonly confirmations: number
  /** Depth beyond `finalizedEpoch` at which the chain is believed before records are deleted: 0 with a second node that confirms. */
  readonly unconfirmedEpochs: number
  /** The newest epoch the node has executed; never cached. */
  currentEpoch(): Promise<bigint>
  /** `currentEpoch() − confirmations`, not below 0. */
  finalEpoch(): Promise<bigint>
  /**
   * The newest epoch that reorganisations cannot change: `finalityEpochs` behind the head, or later if the node reports a plausible
   * finalized block.
   */
  finalizedEpoch(): Promise<bigint>
  /** Reads at the head. For balances and prices that are only informative. */
  readonly read: ChainRead
  /** Reads at the final epoch. For every answer that decides whether money was spent. */
  readonly readFinal: ChainRead
  /** Reads at the given epoch. */
  readAt(epoch: bigint): ChainRead
  /** Logs of a range of epochs. Nodes have no old ones, and their answers are not compared: the caller checks their sum. */
  readonly logs: PublicClient['getLogs']
  /** Start of an epoch in Unix milliseconds. */
  timeOf(epoch: bigint): Promise<number>
  /** Address of FWSS's view contract. FWSS releases change it, so it is cached for a few minutes only. */
  warmStorageView(): Promise<Address>
  /** `VERSION()` of the two contracts whose answers we decode, such as `1.3.0` and `3.4.0`. */
  contractVersions(): Promise<{ readonly fwss: string; readonly pdpVerifier: string }>
  /** Chain ID reported by the node. Compare it with `network.chainId` before other reads. */
  reportedChainId(): Promise<number>
  /** Closes a websocket; further reads fail. */
  close(): Promise<void>
}

interface ChainOptions {
  readonly network: ChainNetwork
  /** Further nodes, which confirm the answers that decide. */
  readonly furtherUrls?: readonly string[]
  /** Default: the network's. */
  readonly confirmations?: number | undefined
  /** Default: the network's; never below the confirmations. */
  readonly finalityEpochs?: number | undefined
  /** Milliseconds since 1970; for the cache of the view address. */
  readonly now?: () => number
  /** For a single check: uses a separate websocket that does not reconnect. */
  readonly isShortLived?: boolean
  /** Timeout of one request with its retries; shorter in tests. */
  readonly requestMs?: number
}

const rpcTimeoutMs = 20_000
const rpcRetriesMax = 2
const rpcRetryDelayMs = 250
/** The longest valid response, a page of providers, is below 1 MiB. */
const rpcAnswerBytesMax = 16 * 1024 * 1024
/** Timeout of one request with its retries: slightly more than their sum. */
const rpcRequestMs = 65_000
/** Calldata bytes per multicall: a few hundred small reads. */
const multicallBytesMax = 16_384
const viewAddressMs = 5 * 60_000
const pollsPerEpoch = 4

const versionedAbi = parseAbi(['function VERSION() view returns (string)', 'function viewContractAddress() view returns (address)'])

/** Opens the chain client; no request is sent until the first read. */
export function openChain({
  network,
  furtherUrls = [],
  confirmations = network.confirmationsDefault,
  finalityEpochs = network.finalityDefault,
  now = Date.now,
  isShortLived = false,
  requestMs = rpcRequestMs,
}: ChainOptions): Chain {
  const sourceOf = (url: string) => ({
    host: new URL(url).host,
    transport: boundedTransport(transportOf(url, { isShortLived, responseMs: Math.min(rpcTimeoutMs, requestMs) }), requestMs),
  })
  const publicClient = createPublicClient({
    chain: viemChain(network),
    transport: agreeingTransport(sourceOf(network.rpcUrl), furtherUrls.map(sourceOf)),
    batch: { multicall: { batchSize: multicallBytesMax, wait: 0 } },
    cacheTime: 0,
    pollingInterval: Math.max(100, (network.epochSeconds * 1000) / pollsPerEpoch),
  })
  const acceptEpoch = createEpochGuard(network, now)
  let view: { address: Address; readAt: number } | undefined

  const currentEpoch = async () => {
    return acceptEpoch(await convertErrors('read the current epoch', publicClient.getBlockNumber({ cacheTime: 0 })))
  }
  // Lotus answers state reads at an epoch without blocks with the previous state, so any epoch number is valid.
  const finalEpoch = async () => {
    const final = (await currentEpoch()) - BigInt(confirmations)
    return final > 0n ? final : 0n
  }
  const read: ChainRead = (call) => convertErrors(`read ${call.functionName}`, publicClient.readContract(call as never), call.abi as Abi)
  const readAt =
    (blockNumber: bigint): ChainRead =>
    (call) =>
      convertErrors(`read ${call.functionName}`, publicClient.readContract({ ...call, blockNumber } as never), call.abi as Abi)
  const readFinal: ChainRead = async (call) => readAt(await finalEpoch())(call)
  const { fwss, pdpVerifier } = network.contracts
  return {
    network,
    publicClient,
    confirmations,
    unconfirmedEpochs: furtherUrls.length > 0 ? 0 : network.singleSourceEpochs,
    currentEpoch,
    finalEpoch,
    async finalizedEpoch() {
      const [head, reported] = await Promise.all([currentEpoch(), reportedFinal(publicClient)])
      return chooseFinalized({ head, confirmations, finalityEpochs, reported })
    },
    read,
    readFinal,
    readAt,
    logs: ((range) => convertErrors('read logs', publicClient.getLogs(range))) as PublicClient['getLogs'],
    async timeOf(epoch) {
      // Epochs of public networks may have no block; those of a devnet have no regular times.
      if (network.name !== 'devnet') return epochToMs(network, epoch)
      return Number((await convertErrors('read a block', publicClient.getBlock({ blockNumber: epoch }))).timestamp) * 1000
    },
    async warmStorageView() {
      if (view === undefined || Math.abs(now() - view.readAt) > viewAddressMs) {
        view = { address: await read({ address: fwss, abi: versionedAbi, functionName: 'viewContractAddress' }), readAt: now() }
      }
      return view.address
    },
    async contractVersions() {
      const version = (address: Address) => read({ address, abi: versionedAbi, functionName: 'VERSION' })
      const [fwssVersion, pdpVersion] = await Promise.all([version(fwss), version(pdpVerifier)])
      return { fwss: fwssVersion, pdpVerifier: pdpVersion }
    },
    reportedChainId: () => convertErrors('read the chain id', publicClient.getChainId()),
    close: () => closeTransport(publicClient),
  }
}

/**
 * The wallet's key as a local viem account: it signs and never sends.
 * @throws Error for a malformed key; the message does not contain the key
 */
export function openAccount(privateKey: string): PrivateKeyAccount {
  const hex = privateKey.startsWith('0x') ? privateKey : `0x${privateKey}`
  if (!/^0x[0-9a-fA-F]{64}$/.test(hex)) throw new Error('chain.private_key must be 32 bytes in hexadecimal.')
  return privateKeyToAccount(hex as `0x${string}`)
}

/** Viem's description of the network, with the multicall contract that batches reads. */
function viemChain(network: ChainNetwork) {
  return defineChain({
    id: network.chainId,
    name: `Filecoin ${network.name}`,
    nativeCurrency: { name: 'Filecoin', symbol: network.nativeSymbol, decimals: 18 },
    rpcUrls: { default: { http: [network.rpcUrl] } },
    contracts: { multicall3: { address: network.contracts.multicall3 } },
  })
}

function transportOf(url: string, { isShortLived, responseMs }: { isShortLived: boolean; responseMs: number }): Transport {
  const options = { timeout: rpcTimeoutMs, retryCount: rpcRetriesMax, retryDelay: rpcRetryDelayMs }
  // A redirect would send the wallet's requests to a node that the operator did not configure.
  if (!url.startsWith('ws'))
    return http(url, {
      ...options,
      fetchFn: boundedFetch(responseMs),
      fetchOptions: { redirect: 'error' },
      maxResponseBodySize: rpcAnswerBytesMax,
    })
  // Viem shares a websocket among clients with the same URL and options, so a short-lived client needs other options to close it safely.
  return webSocket(url, { ...options, reconnect: !isShortLived, keepAlive: !isShortLived })
}

/** Block of the node's `finalized` tag; undefined when the node does not support the tag or does not answer. */
async function reportedFinal(client: PublicClient): Promise<bigint | undefined> {
  try {
    return (await client.getBlock({ blockTag: 'finalized' })).number
  } catch {
    // Optional: without it the depth decides. An unreachable node also fails the read of the head.
    return undefined
  }
}

async function closeTransport(client: PublicClient): Promise<void> {
  const { type, getRpcClient } = client.transport as { type: string; getRpcClient?: () => Promise<{ close(): void }> }
  if (type === 'webSocket' && getRpcClient !== undefined) (await getRpcClient()).close()
}

async function convertErrors<T>(what: string, answer: Promise<T>, abi?: Abi): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw toChainError(error, what, abi)
  }
}
