/** Separate reads of the wallet, so that each can fail on its own. */
import { type Address, parseAbi } from 'viem'
import { toChainError } from './chain-error.ts'
import type { Chain } from './clients.ts'
import { requireAmount } from './plausible-answer.ts'
import { usdfcAbi } from './synapse-constants.ts'

/** Why a read failed; contains no address. */
export type ReadTrouble = 'timeout' | 'RPC failure' | 'contract refused'

export type Read<T> = { readonly isKnown: true; readonly value: T } | { readonly isKnown: false; readonly because: ReadTrouble }

const timedOut = Symbol('timed out')

/** Never rejects: without an answer until the limit it is not known. */
export async function settle<T>(answer: Promise<T>, limit: Promise<typeof timedOut>): Promise<Read<T>> {
  try {
    const value = await Promise.race([answer, limit])
    return value === timedOut ? { isKnown: false, because: 'timeout' } : { isKnown: true, value }
  } catch (error) {
    // Error messages of a node may contain its URL: return only the kind of failure (I-10).
    return { isKnown: false, because: troubleOf(error) }
  }
}

function troubleOf(error: unknown): ReadTrouble {
  return error instanceof Error && 'code' in error && error.code === 'chain_reverted' ? 'contract refused' : 'RPC failure'
}

/** One limit for several reads. Call `end` when they are settled. */
export function startLimit(ms: number) {
  const { promise: reached, resolve } = Promise.withResolvers<typeof timedOut>()
  const timer = setTimeout(() => resolve(timedOut), ms)
  return { reached, end: () => clearTimeout(timer) }
}

const dataSetsAbi = parseAbi(['function getClientDataSetsLength(address payer) view returns (uint256)'])

/** Data sets that the wallet pays or paid for, until they are deleted on chain. @throws ChainUnreachable */
export const readDataSetCount = async (chain: Chain, owner: Address): Promise<number> =>
  Number(
    await chain.read({ address: await chain.warmStorageView(), abi: dataSetsAbi, functionName: 'getClientDataSetsLength', args: [owner] }),
  )

/** Transactions of the wallet on chain, which is the nonce of the next one. @throws ChainUnreachable */
export async function readNonce(chain: Chain, owner: Address): Promise<number> {
  try {
    return await chain.publicClient.getTransactionCount({ address: owner, blockTag: 'latest' })
  } catch (error) {
    throw toChainError(error, 'read the nonce of the wallet')
  }
}

/** FIL of the wallet; 10^-18. @throws ChainUnreachable */
export async function readGas(chain: Chain, owner: Address): Promise<bigint> {
  try {
    return requireAmount(await chain.publicClient.getBalance({ address: owner }), 'the FIL of the wallet')
  } catch (error) {
    throw toChainError(error, 'read the gas balance')
  }
}

/** USDFC in the wallet, not deposited; 10^-18. @throws ChainUnreachable */
export async function readUsdfc(chain: Chain, owner: Address): Promise<bigint> {
  const balance = await chain.read({ address: chain.network.contracts.usdfc, abi: usdfcAbi, functionName: 'balanceOf', args: [owner] })
  return requireAmount(balance, 'the USDFC of the wallet')
}
