// Clients for the devnet chain: reads, transactions of one key, and anvil's own methods.
import { setTimeout as delay } from 'node:timers/promises'
import {
  type Address,
  BaseError,
  createPublicClient,
  defineChain,
  type Hex,
  type HttpTransportConfig,
  http,
  keccak256,
  type PublicClient,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { PatientTransactions } from './patient-transactions.ts'

/** The only chain id that the wallet SDKs know besides those of the live networks. */
export const CHAIN_ID = 31_415_926

/** anvil answers in milliseconds; the limit allows for a busy machine. */
const RPC_TIMEOUT_MS = 30_000
const RECEIPT_POLL_MS = 5
const RECEIPT_TIMEOUT_MS = 30_000

/** The gas price does not rise with blocks this large, so a fixed maximum is enough. */
const MAX_FEE_PER_GAS = 10_000_000_000n
const MAX_PRIORITY_FEE_PER_GAS = 1_000_000_000n

/** Gas limit in per cent of the estimate: the state may change before the block. */
const GAS_MARGIN_PERCENT = 150n

/** Another signer of the same key, such as the provider whose registration a test changes, may take the nonce first. */
const NONCE_ATTEMPTS_MAX = 10
const isNonceTaken = (error: unknown): boolean => error instanceof BaseError && /underpriced|nonce too low/i.test(error.details)

export interface ChainReader extends PublicClient {}

interface TransactionRequest {
  /** Is undefined to deploy `data` as a contract. */
  readonly to?: Address
  readonly data: Hex
  readonly value?: bigint
  /** A value replaces the estimate: a call that reverts is sent too. */
  readonly gas?: bigint
  /** Wait for the next regular block. */
  readonly isPatient?: boolean
}

/** Sends transactions of one key, one after the other. */
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

const transportAt = (rpcUrl: string, options: HttpTransportConfig = {}) =>
  http(rpcUrl, { timeout: RPC_TIMEOUT_MS, retryCount: 0, ...options })

/** Reads of the same moment share a request: with many data sets, requests are most of the devnet's CPU time. */
export function createChainReader(rpcUrl: string): ChainReader {
  return createPublicClient({ chain: chainAt(rpcUrl), transport: transportAt(rpcUrl, { batch: true }), cacheTime: 0 })
}

/** For anvil's own methods, which viem types only in part. */
export function createAnvilCall(rpcUrl: string): AnvilCall {
  const transport = transportAt(rpcUrl)({})
  return (method, params = []) => transport.request({ method, params })
}

interface SignerOptions {
  /** Ends the waits for receipts. */
  readonly signal?: AbortSignal
  /** Gets the patient transactions before their broadcast. */
  readonly patient?: PatientTransactions
}

export function createChainSigner(rpcUrl: string, privateKey: Hex, { signal, patient }: SignerOptions = {}): ChainSigner {
  const account = privateKeyToAccount(privateKey)
  const reader = createChainReader(rpcUrl)
  // Parallel sends would read the same account nonce.
  let previous: Promise<unknown> = Promise.resolve()

  async function signAndSend({ to, data, value = 0n, gas, isPatient }: TransactionRequest): Promise<Hex> {
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

  async function broadcast(request: TransactionRequest): Promise<Hex> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await signAndSend(request)
      } catch (error) {
        if (attempt === NONCE_ATTEMPTS_MAX || !isNonceTaken(error)) throw error
      }
    }
  }

  function send(request: TransactionRequest): Promise<Hex> {
    const sent = previous.then(() => broadcast(request))
    // The caller gets the error; the next send continues.
    previous = sent.catch(() => undefined)
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

/** Returns undefined while the transaction is not mined. */
export async function findReceipt(reader: ChainReader, hash: Hex): Promise<TransactionReceipt | undefined> {
  try {
    return await reader.getTransactionReceipt({ hash })
  } catch (error) {
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
