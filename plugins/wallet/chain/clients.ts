/** The chain as the product reads it: one viem client, the final epoch, the current contracts. */
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
import { boundedFetch, boundedTransport } from './bounded-transport.ts'
import { toChainError } from './chain-error.ts'
import { createEpochGuard } from './epoch-guard.ts'
import { chooseFinalized } from './finalized-policy.ts'
import type { ChainNetwork } from './networks.ts'

type View = 'pure' | 'view'

/** Reads a view function; the arguments are viem's `readContract` ones, except the block. */
export type ChainRead = <
  const abi extends Abi | readonly unknown[],
  name extends ContractFunctionName<abi, View>,
  const args extends ContractFunctionArgs<abi, View, name>,
>(
  question: Omit<ReadContractParameters<abi, name, args>, 'blockNumber' | 'blockTag'>,
) => Promise<ReadContractReturnType<abi, name, args>>

/**
 * Every member rejects with `ChainUnreachable` or, for contract calls, `ChainReverted`. Reads started in the same turn of
 * the event loop travel as one multicall, so ask in parallel.
 */
export interface Chain {
  readonly network: ChainNetwork
  readonly publicClient: PublicClient
  /** How many epochs behind the head a read counts as final. */
  readonly confirmations: number
  /** The newest epoch the node has executed; never cached. */
  currentEpoch(): Promise<bigint>
  /** `currentEpoch() − confirmations`, not below 0. */
  finalEpoch(): Promise<bigint>
  /**
   * The newest epoch that no reorganisation reaches any more: `finalityEpochs` behind the head, or later where the node reports a
   * plausible finalized block.
   */
  finalizedEpoch(): Promise<bigint>
  /** At the head: for balances and prices, which only guide. */
  readonly read: ChainRead
  /** At the final epoch: for every answer that decides whether money was spent. */
  readonly readFinal: ChainRead
  /** At the given epoch. */
  readAt(epoch: bigint): ChainRead
  /** The view contract that FWSS names now; it moves with FWSS releases, so it is asked again every few minutes. */
  warmStorageView(): Promise<Address>
  /** `VERSION()` of the two contracts whose answers we decode, such as `1.3.0` and `3.4.0`. */
  contractVersions(): Promise<{ readonly fwss: string; readonly pdpVerifier: string }>
  /** Chain id that the node reports; compare with `network.chainId` before trusting anything else. */
  reportedChainId(): Promise<number>
  /** Closes a websocket; further reads fail. */
  close(): Promise<void>
}

export interface ChainOptions {
  readonly network: ChainNetwork
  /** Default: the network's. */
  readonly confirmations?: number | undefined
  /** Default: the network's; never below the confirmations. */
  readonly finalityEpochs?: number | undefined
  /** Milliseconds since 1970; for the cache of the view address. */
  readonly now?: () => number
  /** For one look, closed soon: a websocket of its own that does not come back after a failure. */
  readonly isShortLived?: boolean
  /** Shorter, for tests. */
  readonly questionMs?: number
}

const rpcTimeoutMs = 20_000
const rpcRetriesMax = 2
const rpcRetryDelayMs = 250
/** The longest real answer, a page of providers, is below 1 MiB. */
const rpcAnswerBytesMax = 16 * 1024 * 1024
/** For a question with its repetitions: a little more than these take together. */
const rpcQuestionMs = 65_000
/** Calldata bytes per multicall: a few hundred small reads. */
const multicallBytesMax = 16_384
const viewAddressMs = 5 * 60_000
const pollsPerEpoch = 4

const versionedAbi = parseAbi(['function VERSION() view returns (string)', 'function viewContractAddress() view returns (address)'])

/** Opens the chain client; no request is sent until the first read. */
export function openChain({
  network,
  confirmations = network.confirmationsDefault,
  finalityEpochs = network.finalityDefault,
  now = Date.now,
  isShortLived = false,
  questionMs = rpcQuestionMs,
}: ChainOptions): Chain {
  const publicClient = createPublicClient({
    chain: viemChain(network),
    transport: boundedTransport(transportOf(network.rpcUrl, { isShortLived, answerMs: Math.min(rpcTimeoutMs, questionMs) }), questionMs),
    batch: { multicall: { batchSize: multicallBytesMax, wait: 0 } },
    cacheTime: 0,
    pollingInterval: Math.max(100, (network.epochSeconds * 1000) / pollsPerEpoch),
  })
  const acceptEpoch = createEpochGuard(network, now)
  let view: { address: Address; readAt: number } | undefined

  const currentEpoch = async () => {
    return acceptEpoch(await asked('read the current epoch', publicClient.getBlockNumber({ cacheTime: 0 })))
  }
  // Lotus answers state reads at an epoch without blocks with the state before it, so any epoch number may be asked.
  const finalEpoch = async () => {
    const final = (await currentEpoch()) - BigInt(confirmations)
    return final > 0n ? final : 0n
  }
  const read: ChainRead = (question) =>
    asked(`read ${question.functionName}`, publicClient.readContract(question as never), question.abi as Abi)
  const readAt =
    (blockNumber: bigint): ChainRead =>
    (question) =>
      asked(`read ${question.functionName}`, publicClient.readContract({ ...question, blockNumber } as never), question.abi as Abi)
  const readFinal: ChainRead = async (question) => readAt(await finalEpoch())(question)
  const { fwss, pdpVerifier } = network.contracts
  return {
    network,
    publicClient,
    confirmations,
    currentEpoch,
    finalEpoch,
    async finalizedEpoch() {
      const [head, reported] = await Promise.all([currentEpoch(), reportedFinal(publicClient)])
      return chooseFinalized({ head, confirmations, finalityEpochs, reported })
    },
    read,
    readFinal,
    readAt,
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
    reportedChainId: () => asked('read the chain id', publicClient.getChainId()),
    close: () => closeTransport(publicClient),
  }
}

/**
 * The wallet's key as a viem account: it signs here and never sends.
 * @throws Error without the key in its text when the key is malformed
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

function transportOf(url: string, { isShortLived, answerMs }: { isShortLived: boolean; answerMs: number }): Transport {
  const options = { timeout: rpcTimeoutMs, retryCount: rpcRetriesMax, retryDelay: rpcRetryDelayMs }
  // A redirect would hand the wallet's questions to a node that the operator did not choose.
  if (!url.startsWith('ws'))
    return http(url, {
      ...options,
      fetchFn: boundedFetch(answerMs),
      fetchOptions: { redirect: 'error' },
      maxResponseBodySize: rpcAnswerBytesMax,
    })
  // Viem shares a websocket among clients of the same URL and options: closing a short-lived one must not end another's reads.
  return webSocket(url, { ...options, reconnect: !isShortLived, keepAlive: !isShortLived })
}

/** The block of the node's `finalized` tag; undefined where the node does not know the tag or does not answer. */
async function reportedFinal(client: PublicClient): Promise<bigint | undefined> {
  try {
    return (await client.getBlock({ blockTag: 'finalized' })).number
  } catch {
    // Optional: without it the depth alone decides, and a node that is down fails the question for the head.
    return undefined
  }
}

async function closeTransport(client: PublicClient): Promise<void> {
  const { type, getRpcClient } = client.transport as { type: string; getRpcClient?: () => Promise<{ close(): void }> }
  if (type === 'webSocket' && getRpcClient !== undefined) (await getRpcClient()).close()
}

async function asked<T>(what: string, answer: Promise<T>, abi?: Abi): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw toChainError(error, what, abi)
  }
}
