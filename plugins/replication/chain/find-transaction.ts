import { type Hex, TransactionNotFoundError } from 'viem'
import type { Chain } from '#plugins/wallet'

/** Whether the chain node knows the transaction, in its pool or in a block. Undefined without an answer: the caller asks again later. */
export async function isTransactionKnown({ publicClient }: Pick<Chain, 'publicClient'>, hash: Hex): Promise<boolean | undefined> {
  try {
    await publicClient.getTransaction({ hash })
    return true
  } catch (error) {
    return error instanceof TransactionNotFoundError ? false : undefined
  }
}
