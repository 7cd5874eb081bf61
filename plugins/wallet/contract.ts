/** What other plugins may use of the wallet: its services, the machine of paid attempts, and the egress guard. */
import type { CommandCall } from '#kernel'
import type { NetworkFlags } from './commands/command-chain.ts'

export type { Chain } from './chain/clients.ts'
export type { CallCounts, CallFees, PlannedAddition, PriceList, SettledAccount } from './chain/cost-policy.ts'
export type { FundingView } from './chain/payment-account.ts'
export { readPrices } from './contract/read-prices.ts'
export * from './contract/services.ts'
export * from './contract/usable-providers.ts'
export { type CheckedTarget, checkEgress, type EgressOptions, type EgressRefusalReason } from './egress/check-egress.ts'
export type { SenderNonces } from './submissions/outcome-policy.ts'
export { type Sent, sendAttempt } from './submissions/send-attempt.ts'
export { type ReopenCause, settleAttempt, type Undecided } from './submissions/settle-attempt.ts'
export {
  isOpenRow,
  nextState,
  openValues,
  type StateNames,
  stateOfRow,
  valuesThatTake,
} from './submissions/transition-policy.ts'

/** Opens the chain that the flags, the environment and the configuration of a command name. Imported late, because commands load this contract. */
export const openChainOf = async (call: CommandCall<unknown, NetworkFlags>) =>
  (await import('./commands/command-chain.ts')).openChainOf(call)

/** The computation of costs. Imported late, because commands load this contract. */
export const costPolicy = async () => {
  const [policy, { namePrices, parsePrices }, amounts] = await Promise.all([
    import('./chain/cost-policy.ts'),
    import('./funding/price-list.ts'),
    import('./chain/usdfc-amount-policy.ts'),
  ])
  return { ...policy, ...amounts, namePrices, parsePrices }
}

export type CostPolicy = Awaited<ReturnType<typeof costPolicy>>
