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

/** An entry as the operator reads it before a release. */
export interface Shown {
  /** Is undefined before the first answer, and once the copy needs no decision. */
  readonly entry: Confirmation | undefined
  /** It changed since the dialog opened, so that what was accepted before no longer counts. */
  readonly isChanged: boolean
}

/** The entry after the list was read again. Facts that stay the same keep what the operator accepted. */
export function followEntry(shown: Shown, next: Confirmation | undefined): Shown {
  if (!shown.entry || !next) return { entry: next, isChanged: shown.isChanged }
  return hasSameFacts(shown.entry, next) ? shown : { entry: next, isChanged: true }
}

const facts = ['copy_id', 'attempt_id', 'transaction_id', 'reason_code', 'data_set_id', 'provider_id'] as const
const hasSameFacts = (a: Confirmation, b: Confirmation): boolean => facts.every((fact) => a[fact] === b[fact])
