import { encodeFunctionData } from 'viem'
import { registryAbi } from './abis.ts'
import { providerAccount } from './accounts.ts'
import { type DevnetContracts, describeCapabilities, PRODUCT_PDP } from './deployment.ts'
import { createChainSigner } from './rpc.ts'

/** Registers another service URL of a provider. */
export async function moveProvider(
  { rpcUrl, contracts }: { readonly rpcUrl: string; readonly contracts: DevnetContracts },
  providerId: number,
  serviceUrl: string,
): Promise<void> {
  const capabilities = describeCapabilities(serviceUrl, contracts.usdfc)
  const args = [PRODUCT_PDP, Object.keys(capabilities), Object.values(capabilities)] as const
  await createChainSigner(rpcUrl, providerAccount(providerId).privateKey).execute({
    to: contracts.serviceProviderRegistry,
    data: encodeFunctionData({ abi: registryAbi, functionName: 'updateProduct', args }),
  })
}
