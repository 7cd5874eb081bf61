/** Reads what an account paid in a range of epochs from the logs of FilecoinPay. */
import { type Address, parseAbi } from 'viem'
import type { Chain } from '#plugins/wallet'

const eventsAbi = parseAbi([
  'event RailCreated(uint256 indexed railId, address indexed payer, address indexed payee, address token, address operator, address validator, address serviceFeeRecipient, uint256 commissionRateBps)',
  'event RailOneTimePaymentProcessed(uint256 indexed railId, uint256 netPayeeAmount, uint256 operatorCommission, uint256 networkFee)',
  'event RailSettled(uint256 indexed railId, uint256 totalSettledAmount, uint256 totalNetPayeeAmount, uint256 operatorCommission, uint256 networkFee, uint256 settledUpTo)',
  'event DepositRecorded(address indexed token, address indexed from, address indexed to, uint256 amount)',
  'event WithdrawRecorded(address indexed token, address indexed from, address indexed to, uint256 amount)',
])
const [railCreated, oneTimePaid, railSettled, deposited, withdrawn] = eventsAbi
const accountsAbi = parseAbi([
  'function accounts(address token, address owner) view returns (uint256 funds, uint256 lockupCurrent, uint256 lockupRate, uint256 lockupLastSettledAt)',
])

export interface EpochRange {
  readonly from: bigint
  readonly to: bigint
}

export interface RailPayment {
  readonly railId: bigint
  readonly kind: 'one_time' | 'storage'
  readonly amount: bigint
}

export interface PaymentsOfRange {
  /** Rails that began in the range. */
  readonly created: readonly bigint[]
  readonly payments: readonly RailPayment[]
  /** Deposits less withdrawals. */
  readonly deposited: bigint
  /** Funds of the account at the end of the range. */
  readonly funds: bigint
}

/** Rails in one filter. */
const railsPerFilter = 200

/** Funds of the payment account at an epoch. @throws ChainUnreachable */
export async function readFundsAt(chain: Chain, payer: Address, epoch: bigint): Promise<bigint> {
  const { filecoinPay, usdfc } = chain.network.contracts
  const [funds] = await chain.readAt(epoch)({ address: filecoinPay, abi: accountsAbi, functionName: 'accounts', args: [usdfc, payer] })
  return funds
}

/**
 * The payments of an account by rail. `railIds`: those that existed before the range; others are found by their creation in it.
 * @throws ChainUnreachable when the node does not answer, or has no logs of the range any more
 */
export async function readPayments(
  chain: Chain,
  { payer, railIds }: { readonly payer: Address; readonly railIds: readonly bigint[] },
  { from, to }: EpochRange,
): Promise<PaymentsOfRange> {
  const { filecoinPay, usdfc } = chain.network.contracts
  const range = { address: filecoinPay, fromBlock: from, toBlock: to, strict: true } as const
  const created = await chain.logs({ ...range, event: railCreated, args: { payer } })
  const begun = created.map(({ args }) => args.railId)
  const known = [...new Set([...railIds, ...begun])]
  const payments: RailPayment[] = []
  for (let at = 0; at < known.length; at += railsPerFilter) {
    const railId = known.slice(at, at + railsPerFilter)
    const [once, settled] = await Promise.all([
      chain.logs({ ...range, event: oneTimePaid, args: { railId } }),
      chain.logs({ ...range, event: railSettled, args: { railId } }),
    ])
    for (const { args } of once) {
      const amount = args.netPayeeAmount + args.operatorCommission + args.networkFee
      payments.push({ railId: args.railId, kind: 'one_time', amount })
    }
    for (const { args } of settled) payments.push({ railId: args.railId, kind: 'storage', amount: args.totalSettledAmount })
  }
  const [deposits, withdrawals] = await Promise.all([
    chain.logs({ ...range, event: deposited, args: { token: usdfc, to: payer } }),
    chain.logs({ ...range, event: withdrawn, args: { token: usdfc, from: payer } }),
  ])
  const sum = (logs: readonly { readonly args: { readonly amount: bigint } }[]) => logs.reduce((total, { args }) => total + args.amount, 0n)
  return {
    created: begun,
    payments: payments.filter(({ amount }) => amount > 0n),
    deposited: sum(deposits) - sum(withdrawals),
    funds: await readFundsAt(chain, payer, to),
  }
}

/** Why a read of the chain failed, without words of the node, which may name its address (I-10). */
export function troubleOf(error: unknown): 'contract refused' | 'implausible answer' | 'RPC failure' {
  if (!(error instanceof Error)) return 'RPC failure'
  if ('code' in error && error.code === 'chain_reverted') return 'contract refused'
  return error.name === 'ChainAnswerImplausible' || error.name === 'ChainSourcesDisagree' ? 'implausible answer' : 'RPC failure'
}
