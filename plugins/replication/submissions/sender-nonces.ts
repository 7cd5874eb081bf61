import type { Chain, SenderNonces } from '#plugins/wallet'

/**
 * Transaction counts of an address: `pooled` includes the mempool, `final` is at the final epoch. If equal, no transaction of the address
 * is pending. Undefined when the node does not answer.
 */
export async function countSent(chain: Chain, address: `0x${string}`): Promise<SenderNonces | undefined> {
  const { publicClient } = chain
  try {
    const final = await publicClient.getTransactionCount({ address, blockNumber: await chain.finalEpoch() })
    return { final, pooled: await publicClient.getTransactionCount({ address, blockTag: 'pending' }) }
  } catch {
    // The caller retries later.
    return undefined
  }
}
