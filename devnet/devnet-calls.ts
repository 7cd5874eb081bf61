// Reads and payments on the devnet's chain, for the devnet object.
import { type Address, encodeFunctionData, type Hex, maxUint256 } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { payAbi, tokenAbi, verifierAbi, warmStorageAbi } from './chain/abis.ts'
import { deployerAccount } from './chain/accounts.ts'
import { type DeployingChain, type DevnetContracts, mintUsdfc, setBalance, USER_1_USDFC, USER_FIL } from './chain/deployment.ts'
import { createChainSigner } from './chain/rpc.ts'
import { pieceCidFromChain } from './provider/piece-names.ts'

export function createDevnetCalls({ rpcUrl, reader, anvil }: DeployingChain, contracts: DevnetContracts) {
  // All mints come from one account, whose nonces must not be read twice.
  const minter = createChainSigner(rpcUrl, deployerAccount().privateKey)
  const mint = (to: Address, amount: bigint) => mintUsdfc(minter, contracts.usdfc, { to, amount })
  return {
    clientNonce: (payer: Address, nonce: bigint) =>
      reader.readContract({ address: contracts.warmStorage, abi: warmStorageAbi, functionName: 'clientNonces', args: [payer, nonce] }),
    pieceLive: (dataSetId: number | bigint, pieceId: number | bigint) =>
      reader.readContract({
        address: contracts.pdpVerifier,
        abi: verifierAbi,
        functionName: 'pieceLive',
        args: [BigInt(dataSetId), BigInt(pieceId)],
      }),
    async payerOf(dataSetId: number) {
      const args = [BigInt(dataSetId)] as const
      const call = { address: contracts.warmStorage, abi: warmStorageAbi, functionName: 'getDataSet', args } as const
      return (await reader.readContract(call)).payer
    },
    async pieceCid(dataSetId: number | bigint, pieceId: number | bigint) {
      const { data } = await reader.readContract({
        address: contracts.pdpVerifier,
        abi: verifierAbi,
        functionName: 'getPieceCid',
        args: [BigInt(dataSetId), BigInt(pieceId)],
      })
      return pieceCidFromChain(data)
    },
    mintUsdfc: mint,
    async createWallet() {
      const privateKey = generatePrivateKey()
      const address = privateKeyToAddress(privateKey)
      await setBalance(anvil, address, USER_FIL)
      await mint(address, USER_1_USDFC)
      return { address, privateKey }
    },
    async depositFor(privateKey: Hex, amount: bigint) {
      const { usdfc, filecoinPay } = contracts
      const signer = createChainSigner(rpcUrl, privateKey)
      await signer.execute({
        to: usdfc,
        data: encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [filecoinPay, amount] }),
      })
      await signer.execute({
        to: filecoinPay,
        data: encodeFunctionData({ abi: payAbi, functionName: 'deposit', args: [usdfc, signer.address, amount] }),
      })
    },
    async approveFwss(privateKey: Hex) {
      const { usdfc, warmStorage, filecoinPay } = contracts
      const args = [usdfc, warmStorage, true, maxUint256, maxUint256, maxUint256] as const
      const data = encodeFunctionData({ abi: payAbi, functionName: 'setOperatorApproval', args })
      await createChainSigner(rpcUrl, privateKey).execute({ to: filecoinPay, data })
    },
  }
}
