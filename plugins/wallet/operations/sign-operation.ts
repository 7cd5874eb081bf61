import type { ApprovalLimits } from '../chain/approval-policy.ts'
import type { SignedTransaction } from '../chain/transactions.ts'
import type { OperationFailure } from '../contract/services.ts'
import type { Operation } from './operation-store.ts'
import type { AttemptDeps } from './transaction-attempts.ts'

/** Nothing was signed. `wait`: a termination waits for lower fees; `needless`: the chain has its result already. */
export type Refusal =
  | { readonly kind: 'wait'; readonly message: string }
  | { readonly kind: 'needless' }
  | { readonly kind: 'failed'; readonly code: OperationFailure; readonly message: string }

export interface SignDeps extends AttemptDeps {
  readonly approval: ApprovalLimits
}

/** @throws ChainUnreachable */
export async function signOperation(deps: SignDeps, operation: Operation): Promise<SignedTransaction | Refusal> {
  const { chain, signer, fees } = deps
  const { ChainAnswerImplausible, ChainReverted, FeeAboveLimit } = await import('../chain/chain-error.ts')
  const { FundingRefused } = await import('../chain/funding-refused.ts')
  const { signTransaction } = await import('../chain/transactions.ts')
  const isAsked = operation.type !== 'terminate'
  try {
    const call = await plan(deps, operation)
    return call ? await signTransaction({ chain, account: signer, call, limits: fees }) : { kind: 'needless' }
  } catch (error) {
    const { message } = error as Error
    // An operator asks again; a service must end whenever the fee allows it.
    if (error instanceof FeeAboveLimit) return isAsked ? { kind: 'failed', code: 'fee_above_limit', message } : { kind: 'wait', message }
    if (error instanceof ChainAnswerImplausible && isAsked) return { kind: 'failed', code: 'chain_answer_implausible', message }
    if (error instanceof FundingRefused || error instanceof ChainReverted)
      return { kind: 'failed', code: 'wallet_operation_failed', message }
    throw error
  }
}

async function plan({ chain, signer: account, clock, approval }: SignDeps, { type, amount, target }: Operation) {
  switch (type) {
    case 'fund':
    case 'approve':
      return (await import('../chain/plan-funding.ts')).planFunding({ chain, account, amount: BigInt(amount), approval, now: clock.now })
    case 'withdraw':
      return (await import('../chain/plan-withdrawal.ts')).planWithdrawal({ chain, account, amount: BigInt(amount) })
    case 'terminate':
      if (target === null) throw new Error('the operation names no data set')
      return (await import('../chain/plan-termination.ts')).planTermination({ chain, dataSetId: BigInt(target) })
  }
}
