import type { Address, Hash } from 'viem'
import type { Chain } from './clients.ts'

interface UsedNonce {
  readonly sender: Address
  readonly nonce: number
  /** An epoch whose state has the nonce as used. */
  readonly epoch: bigint
}

/**
 * The transaction that used a nonce: the first state that counts it is searched backwards, because nodes keep recent states longest.
 * Undefined when the node does not show it.
 */
export async function findNonceUser({ publicClient }: Chain, { sender, nonce, epoch }: UsedNonce): Promise<Hash | undefined> {
  const isUsed = async (blockNumber: bigint) => (await publicClient.getTransactionCount({ address: sender, blockNumber })) > nonce
  const hashIn = async (blockNumber: bigint): Promise<Hash | undefined> => {
    const { transactions } = await publicClient.getBlock({ blockNumber, includeTransactions: true })
    return transactions.find((one) => one.from.toLowerCase() === sender.toLowerCase() && one.nonce === nonce)?.hash
  }
  try {
    let used = epoch
    let unused = epoch
    for (let step = 1n; unused > 0n && used === unused; step *= 2n) {
      unused = unused > step ? unused - step : 0n
      if (await isUsed(unused)) used = unused
    }
    while (used - unused > 1n) {
      const middle = (used + unused) / 2n
      if (await isUsed(middle)) used = middle
      else unused = middle
    }
    // A node may count a transaction from the state before or after its block.
    return (await hashIn(used)) ?? (used > 0n ? await hashIn(used - 1n) : undefined)
  } catch {
    // Pruned states, epochs without blocks, no answer: the caller looks again later.
    return undefined
  }
}
