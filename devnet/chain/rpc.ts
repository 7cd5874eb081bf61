// Clients for the devnet chain: reading, signing with one key, and anvil's own calls.
import { setTimeout as delay } from 'node:timers/promises'
import {
  type Address,
  createPublicClient,
  defineChain,
  type Hex,
  http,
  keccak256,
  type PublicClient,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { PatientTransactions } from './patient-transactions.ts'

/** The only chain id besides the live networks that the wallet SDKs know. */
export const CHAIN_ID = 31_415_926

/** Anvil answers in milliseconds; this is for busy machines. */
const RPC_TIMEOUT_MS = 30_000
const RECEIPT_POLL_MS = 5
const RECEIPT_TIMEOUT_MS = 30_000

/** The gas price never rises on blocks this large, so a fixed ceiling is always enough. */
const MAX_FEE_PER_GAS = 10_000_000_000n
const MAX_PRIORITY_FEE_PER_GAS = 1_000_000_000n

/** Room over the estimate: state may change between estimate and block. */
const GAS_MARGIN_PERCENT = 150n

export interface ChainReader extends PublicClient {}

export interface TransactionRequest {
  /** Left out: the data is a contract to deploy. */
  readonly to?: Address
  readonly data: Hex
  readonly value?: bigint
  /** Given: no estimate is made, so that a call that reverts is sent all the same. */
  readonly gas?: bigint
  /** It may wait for the next regular block. */
  readonly isPatient?: boolean
}

/** Sends with one key, one transaction after the other. */
export interface ChainSigner {
  readonly address: Address
  /** Resolves with the hash once broadcast; rejects with viem's error when the estimate reverts. */
  send(request: TransactionRequest): Promise<Hex>
  /** Sends and waits for the receipt. @throws Error when the transaction reverted */
  execute(request: TransactionRequest): Promise<TransactionReceipt>
}

export type AnvilCall = (method: string, params?: readonly unknown[]) => Promise<unknown>

function chainAt(rpcUrl: string) {
  return defineChain({
    id: CHAIN_ID,
    name: 'svc devnet',
    nativeCurrency: { name: 'Filecoin', symbol: 'FIL', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  })
}

const transportAt = (rpcUrl: string) => http(rpcUrl, { timeout: RPC_TIMEOUT_MS, retryCount: 0 })

export function createChainReader(rpcUrl: string): ChainReader {
  return createPublicClient({ chain: chainAt(rpcUrl), transport: transportAt(rpcUrl), cacheTime: 0 })
}

/** Anvil's own methods, which viem types only in part. */
export function createAnvilCall(rpcUrl: string): AnvilCall {
  const transport = transportAt(rpcUrl)({})
  return (method, params = []) => transport.request({ method, params })
}

export interface SignerOptions {
  /** Aborted: nobody waits for receipts any more. */
  readonly signal?: AbortSignal
  /** Told of patient transactions before they are broadcast. */
  readonly patient?: PatientTransactions
}

export function createChainSigner(rpcUrl: string, privateKey: Hex, { signal, patient }: SignerOptions = {}): ChainSigner {
  const account = privateKeyToAccount(privateKey)
  const reader = createChainReader(rpcUrl)
  // Two sends at once would read the same account nonce.
  let last: Promise<unknown> = Promise.resolve()

  async function broadcast({ to, data, value = 0n, gas, isPatient }: TransactionRequest): Promise<Hex> {
    const call = { ...(to && { to }), data, value }
    const serializedTransaction = await account.signTransaction({
      ...call,
      type: 'eip1559',
      chainId: CHAIN_ID,
      gas: gas ?? ((await reader.estimateGas({ account, ...call })) * GAS_MARGIN_PERCENT) / 100n,
      nonce: await reader.getTransactionCount({ address: account.address, blockTag: 'pending' }),
      maxFeePerGas: MAX_FEE_PER_GAS,
      maxPriorityFeePerGas: MAX_PRIORITY_FEE_PER_GAS,
    })
    if (isPatient) patient?.add(keccak256(serializedTransaction))
    return reader.sendRawTransaction({ serializedTransaction })
  }

  function send(request: TransactionRequest): Promise<Hex> {
    const sent = last.then(() => broadcast(request))
    // The next send must go on after a failed one; the caller sees this one's error.
    last = sent.catch(() => undefined)
    return sent
  }

  return {
    address: account.address,
    send,
    async execute(request) {
      const hash = await send(request)
      const receipt = await waitForReceipt(reader, hash, signal)
      if (receipt.status !== 'success') throw new Error(`transaction ${hash} to ${request.to} reverted`)
      return receipt
    },
  }
}

/** The receipt, or undefined while there is none. */
export async function findReceipt(reader: ChainReader, hash: Hex): Promise<TransactionReceipt | undefined> {
  try {
    return await reader.getTransactionReceipt({ hash })
  } catch (error) {
    // Not mined, or not on this chain any more.
    if (error instanceof TransactionReceiptNotFoundError) return undefined
    throw error
  }
}

async function waitForReceipt(reader: ChainReader, hash: Hex, signal: AbortSignal | undefined): Promise<TransactionReceipt> {
  for (const deadline = Date.now() + RECEIPT_TIMEOUT_MS; Date.now() < deadline; ) {
    const receipt = await findReceipt(reader, hash)
    if (receipt) return receipt
    await delay(RECEIPT_POLL_MS, undefined, { ...(signal && { signal }) })
  }
  throw new Error(`transaction ${hash} was not mined within ${RECEIPT_TIMEOUT_MS} ms`)
}
