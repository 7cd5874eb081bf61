/** Wallet transactions: sign, send, look up. The caller stores the signed bytes before it sends them (I-04). */
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
import { findNonceUser } from './nonce-user.ts'
import { requireGas, requireNonce } from './plausible-answer.ts'

/** An unsigned contract call. `what` names it in messages: `deposit 5 USDFC`. */
export interface PlannedCall {
  readonly what: string
  readonly to: Address
  readonly data: Hex
  /** Decodes reverts of the gas estimation. */
  readonly abi: Abi
}

/** What is needed to send the transaction and to look it up after a crash. Store it before `broadcast`. */
export interface SignedTransaction {
  readonly raw: Hex
  readonly hash: Hash
  readonly nonce: number
  /** Hashes of the transactions that it replaces: those have the same nonce, and may land instead. */
  readonly earlier?: readonly Hash[]
}

type Broadcast =
  /** A node accepted it or already had it. */
  | { readonly kind: 'sent' }
  /** The node rejects these bytes: too little FIL, or a fee below the minimum. Nothing was sent. */
  | { readonly kind: 'refused'; readonly reason: 'insufficient_gas_funds' | 'fee_too_low'; readonly cause: Error }
  /** No usable answer, or the nonce is already used: `lookUp` decides. */
  | { readonly kind: 'uncertain'; readonly cause: Error }

export type TransactionState =
  /** Mined at the final depth. */
  | { readonly state: 'confirmed' | 'reverted'; readonly epoch: bigint }
  /** The newest one is in a node's pool (`epoch` absent), or one is mined and not yet final. */
  | { readonly state: 'pending'; readonly epoch?: bigint }
  /** Another transaction used the nonce, at the final depth: this one can never be mined. */
  | { readonly state: 'replaced'; readonly by: Hash }
  /** The nonce is used at the final depth, and the node shows neither the receipt of this one nor the transaction that used it. */
  | { readonly state: 'hidden' }
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

interface SignTransactionOptions {
  readonly chain: Chain
  readonly account: PrivateKeyAccount
  readonly call: PlannedCall
  readonly limits: FeeLimits
  /** Default: the account's next nonce, counting transactions in the pool. */
  readonly nonce?: number
}

/**
 * Estimates gas and fees and signs the call; does not send it. The hash is final: the fees are part of the signed bytes.
 * @throws FeeAboveLimit, ChainReverted when the call would fail now, ChainUnreachable when the node returns no plausible answer
 */
export async function signTransaction({ chain, account, call, limits, nonce }: SignTransactionOptions): Promise<SignedTransaction> {
  const { publicClient, network } = chain
  try {
    const [estimate, offered, next, mined] = await Promise.all([
      // prepare: false, because viem would call a method that Filecoin nodes lack.
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

/** Sends bytes from `signTransaction`. Safe to repeat: the nonce is single-use. Does not reject for chain errors. */
export async function broadcast(chain: Chain, raw: Hex): Promise<Broadcast> {
  try {
    await chain.publicClient.sendRawTransaction({ serializedTransaction: raw })
    return { kind: 'sent' }
  } catch (error) {
    const cause = toChainError(error, 'send the transaction')
    const node = error instanceof BaseError ? nodeErrorIn(error) : undefined
    if (node instanceof InsufficientFundsError) return { kind: 'refused', reason: 'insufficient_gas_funds', cause }
    if (node instanceof FeeCapTooLowError) return { kind: 'refused', reason: 'fee_too_low', cause }
    // "already known" and "nonce too low" share one JSON-RPC code; a lookup by hash distinguishes them.
    if (await isKnown(chain, keccak256(raw))) return { kind: 'sent' }
    return { kind: 'uncertain', cause }
  }
}

/**
 * Looks up the state of a stored transaction. Reads the nonce before the receipt, so that a transaction mined in between is seen as mined, not
 * as replaced.
 * @throws ChainUnreachable
 */
export async function lookUp(
  chain: Chain,
  sender: Address,
  { hash, nonce, earlier = [] }: Pick<SignedTransaction, 'hash' | 'nonce' | 'earlier'>,
): Promise<TransactionState> {
  const { publicClient } = chain
  try {
    const finalEpoch = await chain.finalEpoch()
    const finalNonce = await publicClient.getTransactionCount({ address: sender, blockNumber: finalEpoch })
    const receipts = await Promise.all(
      [hash, ...earlier].map((one) => undefinedIf(publicClient.getTransactionReceipt({ hash: one }), TransactionReceiptNotFoundError)),
    )
    const receipt = receipts.find((found) => found !== undefined)
    if (receipt !== undefined) {
      const epoch = receipt.blockNumber
      if (epoch > finalEpoch) return { state: 'pending', epoch }
      return { state: receipt.status === 'success' ? 'confirmed' : 'reverted', epoch }
    }
    if (finalNonce > nonce) {
      const by = await findNonceUser(chain, { sender, nonce, epoch: finalEpoch })
      return by === undefined || by === hash || earlier.includes(by) ? { state: 'hidden' } : { state: 'replaced', by }
    }
    const pooled = await undefinedIf(publicClient.getTransaction({ hash }), TransactionNotFoundError)
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
    // Unknown hash or no answer: the broadcast stays uncertain.
    return false
  }
}

async function undefinedIf<T>(answer: Promise<T>, absent: new (...args: never[]) => Error): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof absent) return undefined
    throw error
  }
}
