/** What the contracts say about the money of a wallet, read without the service. */
import { type Address, encodeFunctionData, parseAbi } from 'viem'
import { payAbi as payCalls } from '../chain/abis.ts'
import { deployerAccount } from '../chain/accounts.ts'
import { createChainReader, createChainSigner } from '../chain/rpc.ts'
import type { Devnet } from '../devnet.ts'

const payAbi = parseAbi([
  'struct RailInfo { uint256 railId; bool isTerminated; uint256 endEpoch; }',
  'struct RailView { address token; address from; address to; address operator; address validator; uint256 paymentRate; uint256 lockupPeriod; uint256 lockupFixed; uint256 settledUpTo; uint256 endEpoch; uint256 commissionRateBps; address serviceFeeRecipient; }',
  'function accounts(address token, address owner) view returns (uint256 funds, uint256 lockupCurrent, uint256 lockupRate, uint256 lockupLastSettledAt)',
  'function operatorApprovals(address token, address client, address operator) view returns (bool isApproved, uint256 rateAllowance, uint256 lockupAllowance, uint256 rateUsage, uint256 lockupUsage, uint256 maxLockupPeriod)',
  'function getRailsForPayerAndToken(address payer, address token, uint256 offset, uint256 limit) view returns (RailInfo[] results, uint256 nextOffset, uint256 total)',
  'function getRail(uint256 railId) view returns (RailView rail)',
  'event RailCreated(uint256 indexed railId, address indexed payer, address indexed payee, address token, address operator, address validator, address serviceFeeRecipient, uint256 commissionRateBps)',
  'event RailOneTimePaymentProcessed(uint256 indexed railId, uint256 netPayeeAmount, uint256 operatorCommission, uint256 networkFee)',
  'event RailSettled(uint256 indexed railId, uint256 totalSettledAmount, uint256 totalNetPayeeAmount, uint256 operatorCommission, uint256 networkFee, uint256 settledUpTo)',
])

interface ChainPayment {
  readonly railId: string
  readonly kind: 'one_time' | 'storage'
  readonly amount: bigint
}

export const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n)

/** Account, rails and allowances of a wallet at an epoch. */
export async function readMoney(
  { rpcUrl, contracts: { filecoinPay: address, usdfc, warmStorage } }: Devnet,
  payer: Address,
  epoch: bigint,
) {
  const reader = createChainReader(rpcUrl)
  const at = { address, abi: payAbi, blockNumber: epoch } as const
  const [funds, lockupCurrent, lockupRate, settledAt] = await reader.readContract({ ...at, functionName: 'accounts', args: [usdfc, payer] })
  const approval = await reader.readContract({ ...at, functionName: 'operatorApprovals', args: [usdfc, payer, warmStorage] })
  const [infos] = await reader.readContract({ ...at, functionName: 'getRailsForPayerAndToken', args: [payer, usdfc, 0n, 0n] })
  const rails = await Promise.all(
    infos.map(async ({ railId }) => ({
      railId: String(railId),
      ...(await reader.readContract({ ...at, functionName: 'getRail', args: [railId] })),
    })),
  )
  return { funds, owed: lockupCurrent + lockupRate * (epoch - settledAt), lockupRate, lockupUsage: approval[4], rails }
}

/** Every payment of a wallet up to an epoch, from the logs. */
export async function readAllPayments({ rpcUrl, contracts }: Devnet, payer: Address, to: bigint): Promise<readonly ChainPayment[]> {
  const reader = createChainReader(rpcUrl)
  const range = { address: contracts.filecoinPay, abi: payAbi, fromBlock: 0n, toBlock: to, strict: true } as const
  const created = await reader.getContractEvents({ ...range, eventName: 'RailCreated', args: { payer } })
  const mine = new Set(created.map(({ args }) => args.railId))
  const once = await reader.getContractEvents({ ...range, eventName: 'RailOneTimePaymentProcessed' })
  const settled = await reader.getContractEvents({ ...range, eventName: 'RailSettled' })
  return [
    ...once.map(({ args: { railId, netPayeeAmount, operatorCommission, networkFee } }) => ({
      railId,
      kind: 'one_time' as const,
      amount: netPayeeAmount + operatorCommission + networkFee,
    })),
    ...settled.map(({ args: { railId, totalSettledAmount } }) => ({ railId, kind: 'storage' as const, amount: totalSettledAmount })),
  ].flatMap(({ railId, ...payment }) => (mine.has(railId) && payment.amount > 0n ? [{ railId: String(railId), ...payment }] : []))
}

/** Settles all rails of a wallet up to the present epoch: the providers get what is due to them. */
export async function settleRails(devnet: Devnet, payer: Address): Promise<void> {
  const signer = createChainSigner(devnet.rpcUrl, deployerAccount().privateKey)
  const epoch = BigInt(await devnet.chain.epoch())
  for (const { railId } of (await readMoney(devnet, payer, epoch)).rails) {
    const data = encodeFunctionData({ abi: payCalls, functionName: 'settleRail', args: [BigInt(railId), epoch] })
    // A rail that is finished meanwhile has nothing to settle.
    await signer.execute({ to: devnet.contracts.filecoinPay, data }).catch(() => undefined)
  }
}
