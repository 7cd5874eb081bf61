import type { NotSentCause } from '#plugins/providers'

/** How work continues after a refusal that certainly had no effect. */
export type Setback =
  /** Waits and uses no attempt (I-08). */
  | { readonly kind: 'wait'; readonly reason: 'provider' | 'provider_busy' | 'funding'; readonly forMs: number; readonly message: string }
  /** The provider does not write to the data set: its state on chain must be looked up. */
  | { readonly kind: 'data_set_gone'; readonly message: string }
  /** Counts as a failed attempt. */
  | { readonly kind: 'fault'; readonly code: string; readonly message: string }

/** Reverts that need funds or an approval. */
const fundingErrors = new Set([
  'InsufficientLockupFunds',
  'InsufficientRateAllowance',
  'InsufficientLockupAllowance',
  'InsufficientMaxLockupPeriod',
  'OperatorNotApproved',
  'OperatorLockupAllowanceExceeded',
  'OperatorRateAllowanceExceeded',
  'LockupExceedsFundsInvariant',
  'LockupNotSettledRateChangeNotAllowed',
  'LockupFixedIncreaseNotAllowedDueToInsufficientFunds',
  'LockupPeriodChangeNotAllowedDueToInsufficientFunds',
  'InsufficientUnlockedFunds',
])

/** Reverts of a data set that has ended or does not exist. */
const endedErrors = new Set([
  'DataSetPaymentAlreadyTerminated',
  'DataSetPaymentBeyondEndEpoch',
  'DataSetNotRegistered',
  'InvalidDataSetId',
  'DataSetNotLive',
  'DataSetNotFound',
])

export function judgeRefusal(cause: NotSentCause, waits: { readonly providerMs: number; readonly fundingMs: number }): Setback {
  switch (cause.reason) {
    case 'unreachable':
      return {
        kind: 'wait',
        reason: 'provider',
        forMs: waits.providerMs,
        message: `the provider cannot be reached (${cause.step}): ${cause.detail}`,
      }
    case 'egress_refused':
      return {
        kind: 'wait',
        reason: 'provider',
        forMs: waits.providerMs,
        message: `the provider's address is not allowed (${cause.detail}); see chain.allow_private_networks`,
      }
    case 'throttled':
      return {
        kind: 'wait',
        reason: 'provider_busy',
        forMs: cause.retryAfterMs,
        message: 'the provider is busy and asks for a later retry',
      }
    case 'data_set_gone':
      return { kind: 'data_set_gone', message: cause.detail }
    case 'reverted':
      return judgeRevert(cause.revert.errorName ?? cause.revert.selector ?? 'unknown', cause.detail, waits.fundingMs)
    default:
      return { kind: 'fault', code: `provider_${cause.reason}`, message: cause.detail }
  }
}

function judgeRevert(errorName: string, detail: string, fundingMs: number): Setback {
  if (fundingErrors.has(errorName))
    return { kind: 'wait', reason: 'funding', forMs: fundingMs, message: `the payment account cannot cover this (${errorName})` }
  if (endedErrors.has(errorName)) return { kind: 'data_set_gone', message: errorName }
  return { kind: 'fault', code: 'chain_reverted', message: `${errorName}: ${detail}` }
}
