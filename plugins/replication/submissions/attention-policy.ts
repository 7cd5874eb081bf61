/** Why the outcome of a submission needs an operator. The codes are shown and stay as they are. Pure. */

export const attentionCodes = [
  /** The answer was lost: no transaction is known. */
  'submission_unknown',
  /** The chain node does not know the transaction that the provider named. */
  'transaction_not_found',
  /** The chain node knows the transaction, and its effect is not confirmed. */
  'transaction_pending_too_long',
  /** The provider named a transaction and no longer reports on it; the chain node does not know it either. */
  'provider_status_missing',
  /** The chain node does not answer. */
  'chain_unreachable',
  /** The nonce was used for another data set. */
  'result_mismatch',
  /** The provider refuses the request, which looks valid. */
  'invalid_submission',
  /** The provider refuses the data set, which is live on chain. */
  'data_set_refused',
] as const

export type AttentionCode = (typeof attentionCodes)[number]

/** What is known of the transaction of an undecided submission. */
interface TransactionTraces {
  readonly txHash: string | null
  /** Whether the chain node knows the transaction; undefined without an answer. */
  readonly isOnNode: boolean | undefined
  /** Whether the provider reports a state of it. */
  readonly isReported: boolean
}

export function codeOfUndecided({ txHash, isOnNode, isReported }: TransactionTraces): AttentionCode {
  if (txHash === null) return 'submission_unknown'
  if (isOnNode === undefined) return 'chain_unreachable'
  if (isOnNode) return 'transaction_pending_too_long'
  return isReported ? 'transaction_not_found' : 'provider_status_missing'
}
