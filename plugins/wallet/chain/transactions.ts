/** Wallet transactions: signed here, stored by the caller, sent, looked up (I-04). */
import {
  type Abi,
  type Address,
  BaseError,
  encodeFunctionData,
  FeeCapTooLowError,
  type Hash,
  type Hex,
  InsufficientFundsError,
  keccak256,
  TransactionNotFoundError,
  TransactionReceiptNotFoundError,
} from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { getNodeError } from 'viem/utils'
import { toChainError } from './chain-error.ts'
import type { Chain } from './clients.ts'
import { type FeeLimits, requireFeesWithin } from './fee-limits.ts'
import { requireGas, requireNonce } from './plausible-answer.ts'

/** A contract call that has not been signed. `what` names it in messages: `deposit 5 USDFC`. */
export interface PlannedCall {
  readonly what: string
  readonly to: Address
  readonly data: Hex
  /** Names reverts met while estimating gas. */
  readonly abi: Abi
}

/** Everything needed to send it, and to find it again after a crash. Store it before `broadcast`. */
export interface SignedTransaction {
  readonly raw: Hex
  readonly hash: Hash
  readonly nonce: number
}

export type Broadcast =
  /** A node accepted it, or had it already. */
  | { readonly kind: 'sent' }
  /** The node will never take these bytes: not enough gas money, or a fee below the chain's floor. Nothing was sent. */
  | { readonly kind: 'refused'; readonly reason: 'insufficient_gas_funds' | 'fee_too_low'; readonly cause: Error }
  /** No usable answer, or the nonce is already used: `lookUp` decides. */
  | { readonly kind: 'uncertain'; readonly cause: Error }

export type TransactionState =
  /** Mined at the final depth, with or without effect. */
  | { readonly state: 'confirmed' | 'reverted'; readonly epoch: bigint }
  /** In a node's pool (`epoch` absent), or mined and not yet final. */
  | { readonly state: 'pending'; readonly epoch?: bigint }
  /** Another transaction took the nonce, at the final depth: this one can never be mined. */
  | { readonly state: 'replaced' }
  /** The node knows neither the hash nor a later nonce: broadcast the same bytes again. */
  | { readonly state: 'unknown' }

const gasMarginPercent = 125n

export function planCall<const abi extends Abi>(call: {
  what: string
  to: Address
  abi: abi
  functionName: string
  args: readonly unknown[]
}): PlannedCall {
  const data = encodeFunctionData({ abi: call.abi as Abi, functionName: call.functionName, args: call.args })
  return { what: call.what, to: call.to, data, abi: call.abi }
}

export interface SignTransactionOptions {
  readonly chain: Chain
  readonly account: PrivateKeyAccount
  readonly call: PlannedCall
  readonly limits: FeeLimits
  /** Default: the account's next nonce, counting transactions in the pool. */
  readonly nonce?: number
}

/**
 * Estimates, prices and signs a call; sends nothing. The hash is final: fees are part of the signed bytes.
 * @throws FeeAboveLimit, ChainReverted when the call would fail now, ChainUnreachable when the node gives no answer that can be true
 */
export async function signTransaction({ chain, account, call, limits, nonce }: SignTransactionOptions): Promise<SignedTransaction> {
  const { publicClient, network } = chain
  try {
    const [estimate, offered, next, mined] = await Promise.all([
      // Unprepared: else viem lets the node fill in the transaction, by a method that Filecoin nodes lack.
      publicClient.estimateGas({ account, to: call.to, data: call.data, prepare: false }),
      publicClient.estimateFeesPerGas({ chain: publicClient.chain, type: 'eip1559' }),
      nonce ?? publicClient.getTransactionCount({ address: account.address, blockTag: 'pending' }),
      publicClient.getTransactionCount({ address: account.address, blockTag: 'latest' }),
    ])
    const gas = (requireGas(estimate) * gasMarginPercent) / 100n
    const fees = { gas, maxFeePerGas: offered.maxFeePerGas, maxPriorityFeePerGas: offered.maxPriorityFeePerGas }
    requireFeesWithin(limits, fees)
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId: network.chainId,
      to: call.to,
      data: call.data,
      ...fees,
      nonce: requireNonce(next, mined),
    })
    return { raw, hash: keccak256(raw), nonce: next }
  } catch (error) {
    throw toChainError(error, call.what, call.abi)
  }
}

/** Sends bytes from `signTransaction`. Safe to repeat: the nonce is single-use. Never rejects for a chain reason. */
export async function broadcast(chain: Chain, raw: Hex): Promise<Broadcast> {
  try {
    await chain.publicClient.sendRawTransaction({ serializedTransaction: raw })
    return { kind: 'sent' }
  } catch (error) {
    const cause = toChainError(error, 'send the transaction')
    const node = error instanceof BaseError ? nodeErrorIn(error) : undefined
    if (node instanceof InsufficientFundsError) return { kind: 'refused', reason: 'insufficient_gas_funds', cause }
    if (node instanceof FeeCapTooLowError) return { kind: 'refused', reason: 'fee_too_low', cause }
    // "already known" and "nonce too low" share one JSON-RPC code; asking for the hash tells them apart.
    if (await isKnown(chain, keccak256(raw))) return { kind: 'sent' }
    return { kind: 'uncertain', cause }
  }
}

/**
 * Where a stored transaction stands. Reads the nonce before the receipt, so that a transaction mined in between is seen
 * as mined rather than replaced.
 * @throws ChainUnreachable
 */
export async function lookUp(
  chain: Chain,
  sender: Address,
  { hash, nonce }: Pick<SignedTransaction, 'hash' | 'nonce'>,
): Promise<TransactionState> {
  const { publicClient } = chain
  try {
    const finalEpoch = await chain.finalEpoch()
    const finalNonce = await publicClient.getTransactionCount({ address: sender, blockNumber: finalEpoch })
    const receipt = await orNone(publicClient.getTransactionReceipt({ hash }), TransactionReceiptNotFoundError)
    if (receipt !== undefined) {
      const epoch = receipt.blockNumber
      if (epoch > finalEpoch) return { state: 'pending', epoch }
      return { state: receipt.status === 'success' ? 'confirmed' : 'reverted', epoch }
    }
    if (finalNonce > nonce) return { state: 'replaced' }
    const pooled = await orNone(publicClient.getTransaction({ hash }), TransactionNotFoundError)
    return { state: pooled === undefined ? 'unknown' : 'pending' }
  } catch (error) {
    throw toChainError(error, 'look up the transaction')
  }
}

function nodeErrorIn(error: BaseError): unknown {
  const walked = getNodeError(error, {})
  return walked instanceof BaseError ? walked : undefined
}

async function isKnown(chain: Chain, hash: Hash): Promise<boolean> {
  try {
    await chain.publicClient.getTransaction({ hash })
    return true
  } catch {
    // Not known, or no answer: both leave the broadcast uncertain.
    return false
  }
}

async function orNone<T>(answer: Promise<T>, absent: new (...args: never[]) => Error): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof absent) return undefined
    throw error
  }
}
