// Ends the service of a data set on chain, as the payer could with another program.
import { createWalletClient, type Hex, http, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Devnet } from '../devnet.ts'

const abi = parseAbi(['function terminateService(uint256 dataSetId)'])

/** @param privateKey of the payer */
export async function endServiceOnChain({ rpcUrl, contracts }: Devnet, privateKey: Hex, dataSetId: bigint): Promise<void> {
  const wallet = createWalletClient({ account: privateKeyToAccount(privateKey), transport: http(rpcUrl) })
  await wallet.writeContract({ address: contracts.warmStorage, abi, functionName: 'terminateService', args: [dataSetId], chain: null })
}
