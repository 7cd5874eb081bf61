/** A chain whose account and logs a test sets. */
import type { Chain, Signer } from '#plugins/wallet'

export interface FakeLog {
  readonly eventName: string
  readonly epoch: bigint
  readonly args: Readonly<Record<string, unknown>>
}

export interface FakeMoney {
  epoch: bigint
  /** Oldest epoch of which the node has logs. */
  logsFrom: bigint
  readonly logs: FakeLog[]
  /** Funds at the first epoch. */
  funds: bigint
  /** Amounts that leave the account without a log. */
  readonly silent: { readonly epoch: bigint; readonly amount: bigint }[]
  startMs: number
}

export const payer = `0x${'a'.repeat(40)}` as const
export const signer = { address: payer } as unknown as Signer

export const newMoney = (startMs: number): FakeMoney => ({ epoch: 10n, logsFrom: 0n, logs: [], funds: 1000n, silent: [], startMs })

const unreachable = () => Object.assign(new Error('no logs of these blocks'), { code: 'chain_unreachable', name: 'ChainUnreachable' })

function fundsAt(money: FakeMoney, epoch: bigint): bigint {
  const until = <T extends { readonly epoch: bigint }>(list: readonly T[]) => list.filter((entry) => entry.epoch <= epoch)
  let { funds } = money
  for (const { eventName, args } of until(money.logs)) {
    if (eventName === 'DepositRecorded') funds += args.amount as bigint
    if (eventName === 'WithdrawRecorded') funds -= args.amount as bigint
    if (eventName === 'RailOneTimePaymentProcessed') funds -= (args.netPayeeAmount as bigint) + (args.networkFee as bigint)
    if (eventName === 'RailSettled') funds -= args.totalSettledAmount as bigint
  }
  for (const { amount } of until(money.silent)) funds -= amount
  return funds
}

export function fakeChain(money: FakeMoney): Chain {
  const chain = {
    network: { chainId: 7, name: 'devnet', epochSeconds: 30, contracts: { filecoinPay: payer, usdfc: payer } },
    finalizedEpoch: async () => money.epoch,
    timeOf: async (epoch: bigint) => money.startMs + Number(epoch) * 30_000,
    readAt: (epoch: bigint) => async () => [fundsAt(money, epoch), 0n, 0n, 0n],
    async logs({
      event,
      args,
      fromBlock,
      toBlock,
    }: {
      event: { name: string }
      args: { railId?: readonly bigint[] }
      fromBlock: bigint
      toBlock: bigint
    }) {
      if (fromBlock < money.logsFrom) throw unreachable()
      return money.logs.filter(
        ({ eventName, epoch, args: found }) =>
          eventName === event.name &&
          epoch >= fromBlock &&
          epoch <= toBlock &&
          (args.railId === undefined || args.railId.includes(found.railId as bigint)),
      )
    },
  }
  return chain as unknown as Chain
}

export const created = (railId: bigint, epoch: bigint): FakeLog => ({ eventName: 'RailCreated', epoch, args: { railId } })
export const paidOnce = (railId: bigint, epoch: bigint, amount: bigint): FakeLog => ({
  eventName: 'RailOneTimePaymentProcessed',
  epoch,
  args: { railId, netPayeeAmount: amount - 1n, operatorCommission: 0n, networkFee: 1n },
})
export const settled = (railId: bigint, epoch: bigint, amount: bigint): FakeLog => ({
  eventName: 'RailSettled',
  epoch,
  args: { railId, totalSettledAmount: amount },
})
export const deposit = (epoch: bigint, amount: bigint): FakeLog => ({ eventName: 'DepositRecorded', epoch, args: { amount } })
