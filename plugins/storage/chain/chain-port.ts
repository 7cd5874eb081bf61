/** What the storage side asks of the chain client that the wallet opens; stated here so that neither knows the other's files. */
import type { Abi, Address, ContractFunctionArgs, ContractFunctionName, ReadContractParameters, ReadContractReturnType } from 'viem'

type View = 'pure' | 'view'

/** viem's `readContract`, at a block that the function itself chooses. */
export type ChainRead = <
  const abi extends Abi | readonly unknown[],
  name extends ContractFunctionName<abi, View>,
  const args extends ContractFunctionArgs<abi, View, name>,
>(
  question: Omit<ReadContractParameters<abi, name, args>, 'blockNumber' | 'blockTag'>,
) => Promise<ReadContractReturnType<abi, name, args>>

/** Reads reject with an error whose `code` is `chain_unreachable` (ask again) or `chain_reverted` (with `errorName`). */
export interface ChainPort {
  readonly network: {
    readonly chainId: number
    readonly contracts: Readonly<Record<'fwss' | 'pdpVerifier' | 'registry' | 'endorsements', Address>>
  }
  currentEpoch(): Promise<bigint>
  /** At the head. */
  readonly read: ChainRead
  /** At the depth from which no answer changes any more. */
  readonly readFinal: ChainRead
  /** The view contract that FWSS names at present. */
  warmStorageView(): Promise<Address>
}

/** Name of the contract error that an error of the chain client carries; undefined for every other error. */
export function revertNameOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'chain_reverted' || !('errorName' in error)) return undefined
  return typeof error.errorName === 'string' ? error.errorName : undefined
}
