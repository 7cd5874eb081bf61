/** Replaces a wallet transaction that no block can include at its fee. */
import { keccak256, parseTransaction } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { toChainError } from './chain-error.ts'
import type { Chain } from './clients.ts'
import { type FeeLimits, requireFeesWithin } from './fee-limits.ts'
import type { SignedTransaction } from './transactions.ts'

/** Nodes drop a transaction from their pool only for one with at least so much more: 25 percent more priority on Lotus, 10 of both on others. */
const priorityPercentMin = 126n
const feePercentMin = 111n

interface ReplacementRequest {
  readonly chain: Chain
  readonly account: PrivateKeyAccount
  readonly signed: Pick<SignedTransaction, 'raw' | 'nonce'>
  readonly limits: FeeLimits
}

/**
 * The same call under the same nonce, at the fee that the node offers now; does not send it. Undefined while the fee cap of the transaction
 * is not below the base fee: the next block may include it.
 * @throws FeeAboveLimit, ChainUnreachable
 */
export async function signReplacement({ chain, account, signed, limits }: ReplacementRequest): Promise<SignedTransaction | undefined> {
  const { publicClient } = chain
  const { to, data, value, gas = 0n, chainId, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(signed.raw)
  try {
    const { baseFeePerGas } = await publicClient.getBlock({ blockTag: 'latest' })
    if (baseFeePerGas === null || baseFeePerGas <= maxFeePerGas) return undefined
    const offered = await publicClient.estimateFeesPerGas({ chain: publicClient.chain, type: 'eip1559' })
    const priority = larger(offered.maxPriorityFeePerGas, raise(maxPriorityFeePerGas, priorityPercentMin))
    const fees = {
      gas,
      maxFeePerGas: larger(larger(offered.maxFeePerGas, raise(maxFeePerGas, feePercentMin)), priority),
      maxPriorityFeePerGas: priority,
    }
    requireFeesWithin(limits, fees)
    const raw = await account.signTransaction({ type: 'eip1559', chainId: Number(chainId), to, data, value, nonce: signed.nonce, ...fees })
    return { raw, hash: keccak256(raw), nonce: signed.nonce }
  } catch (error) {
    throw toChainError(error, 'replace the transaction')
  }
}

const raise = (fee: bigint, percent: bigint): bigint => (fee * percent) / 100n + 1n
const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
