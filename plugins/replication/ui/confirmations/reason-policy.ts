/** Why the outcome of a submission needs an operator, in words. Pure. */
import type { Answer } from '@svc/ui-kit'

export type Confirmation = Answer<'GET /storage-confirmations'>[number]
type Reason = Confirmation['reason_code']

export const reasonTexts: Readonly<Record<Reason, string>> = {
  submission_unknown: 'The answer of the provider was lost, and no transaction is known.',
  transaction_not_found: 'The chain node does not know the transaction that the provider named.',
  transaction_pending_too_long: 'The chain node knows the transaction, but its effect is not confirmed.',
  provider_status_missing: 'The provider no longer reports on the transaction, and the chain node does not know it either.',
  chain_unreachable: 'The chain node does not answer.',
  result_mismatch: 'The number of the request was used for another data set.',
  invalid_submission: 'The provider refuses the request, although it looks valid.',
  data_set_refused: 'The provider refuses the data set, which is live on chain.',
}

/** Codes after which the listed entry is out of date. */
const outdated: readonly (string | undefined)[] = [
  'storage_confirmation_changed',
  'storage_confirmation_landed',
  'storage_confirmation_not_found',
]

export const isOutdated = (code: string | undefined): boolean => outdated.includes(code)
