/** Separate reads of the wallet, so that each can fail on its own. */
import { type Address, parseAbi } from 'viem'
import { toChainError } from './chain-error.ts'
import type { Chain } from './clients.ts'
import { requireAmount } from './plausible-answer.ts'
import { usdfcAbi } from './synapse-constants.ts'

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
