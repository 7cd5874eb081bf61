/** Reads of the costs after what the chain did, and calls that make providers take what is due to them. */
import { settleRails, sum } from '../../devnet/testing/wallet-money.ts'
import { refreshCost, showReceipt } from '../../plugins/costs/api.ts'
import { answerOf } from '../fixtures/admin-answers.ts'
import type { Stage } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'

export const monthNow = () => new Date().toISOString().slice(0, 7)

export const big = (texts: readonly string[]) => sum(texts.map(BigInt))

/** Costs that were read after the present epoch. */
export async function freshCost({ gateway, network }: Stage) {
  const now = await network.devnet.chain.epoch()
  return until('a later read of the account', async () => {
    const cost = answerOf(refreshCost, await gateway.call('POST', '/api/v1/cost/refresh'))
    return BigInt(cost.epoch ?? 0) >= now ? cost : undefined
  })
}

/** The receipt of this month that contains all payments up to the epoch. */
export const receiptUpTo = (stage: Stage, epoch: bigint) =>
  until('a receipt up to the last payment', async () => {
    await freshCost(stage)
    const answer = answerOf(showReceipt, await stage.gateway.call('GET', `/api/v1/receipts?month=${monthNow()}`))
    return BigInt(answer.to_epoch ?? 0) >= epoch ? answer : undefined
  })

/** Pays the providers what is due to them. */
export const settleAll = ({ network: { devnet, payer } }: Stage): Promise<void> => settleRails(devnet, payer)
