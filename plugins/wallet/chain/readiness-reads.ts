/** Separate reads of wallet and providers, so that each can fail on its own. */
import { type Address, parseAbi } from 'viem'
import { toChainError } from './chain-error.ts'
import type { Chain } from './clients.ts'
import { requireAmount } from './plausible-answer.ts'
import { usdfcAbi } from './synapse-constants.ts'

const approvedAbi = parseAbi(['function getApprovedProviders(uint256 offset, uint256 limit) view returns (uint256[] providerIds)'])

const idsPerPage = 50n
/** 5,000 providers. */
const pagesMax = 100

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

/** IDs of the providers that the storage service approves. @throws ChainUnreachable */
export async function readApprovedIds(chain: Chain): Promise<ReadonlySet<bigint>> {
  const found = new Set<bigint>()
  const address = await chain.warmStorageView()
  for (let page = 0; page < pagesMax; page++) {
    const args = [BigInt(page) * idsPerPage, idsPerPage] as const
    const ids = await chain.read({ address, abi: approvedAbi, functionName: 'getApprovedProviders', args })
    for (const id of ids) found.add(id)
    if (BigInt(ids.length) < idsPerPage) break
  }
  return found
}
