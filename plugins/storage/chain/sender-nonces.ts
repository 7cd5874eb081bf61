import type { Address } from 'viem'
import type { Chain } from '#plugins/wallet'

/**
 * How many transactions an address has sent: those in the pool counted in, and those at the final depth. When both are equal nothing
 * of it is under way. Undefined when the node does not answer.
 */
export async function countSent(chain: Chain, address: Address): Promise<{ readonly pooled: number; readonly final: number } | undefined> {
  const { publicClient } = chain
  try {
    const final = await publicClient.getTransactionCount({ address, blockNumber: await chain.finalEpoch() })
    return { final, pooled: await publicClient.getTransactionCount({ address, blockTag: 'pending' }) }
  } catch {
    // The caller asks again later; without an answer nothing is concluded.
    return undefined
  }
}
