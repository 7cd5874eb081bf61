import { ChainAnswerImplausible, FeeAboveLimit } from './chain-error.ts'

/** Limits for a wallet transaction, in 10^-18 FIL. */
export interface FeeLimits {
  readonly feePerGasMax: bigint
  /** For gas limit times fee per gas: the maximum cost of the transaction. */
  readonly totalMax: bigint
}

interface OfferedFees {
  /** Gas limit of the transaction. */
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** Rejects fees above the operator's limits (I-33). @throws FeeAboveLimit, ChainAnswerImplausible (negative) */
export function requireFeesWithin(limits: FeeLimits, { gas, maxFeePerGas, maxPriorityFeePerGas }: OfferedFees): void {
  if (maxFeePerGas < 0n || maxPriorityFeePerGas < 0n) throw new ChainAnswerImplausible('a negative fee')
  const perGas = maxFeePerGas > maxPriorityFeePerGas ? maxFeePerGas : maxPriorityFeePerGas
  if (perGas > limits.feePerGasMax) throw new FeeAboveLimit('chain.spending.max_fee_per_gas_nanofil', perGas, limits.feePerGasMax)
  const total = gas * perGas
  if (total > limits.totalMax) throw new FeeAboveLimit('chain.spending.max_transaction_fee_millifil', total, limits.totalMax)
}
