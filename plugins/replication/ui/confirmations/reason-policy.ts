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

/** The copies of one attempt: one transaction adds them all. */
export interface Group {
  readonly attemptId: string
  readonly entries: readonly [Confirmation, ...Confirmation[]]
}

/** The entries by attempt, in the order of the list. */
export const groupByAttempt = (entries: readonly Confirmation[]): readonly Group[] =>
  [...Map.groupBy(entries, ({ attempt_id }) => attempt_id)].map(([attemptId, found]) => ({ attemptId, entries: found as [Confirmation] }))

/** Fees of storing the copies once more, in one call: base units as decimal text. */
export function repeatFee(entries: readonly Confirmation[]): string | undefined {
  const fees = entries[0]?.repeat_fees
  return fees && String(BigInt(fees.call) + BigInt(entries.length) * BigInt(fees.piece))
}

/** The entries as the operator reads them before a release. */
export interface Shown {
  /** Is undefined before the first answer. Empty once no copy needs a decision. */
  readonly entries: readonly Confirmation[] | undefined
  /** One changed since the dialog opened, so that what was accepted before no longer counts. */
  readonly isChanged: boolean
}

/** The entries after the list was read again. Those that left need no decision; facts that stay the same keep what the operator accepted. */
export function followEntries({ entries, isChanged }: Shown, listed: readonly Confirmation[]): Shown {
  const before = new Map(entries?.map((entry) => [entry.copy_id, entry]))
  const next = listed.filter(({ copy_id }) => before.has(copy_id))
  const isSame = next.every((entry) => hasSameFacts(before.get(entry.copy_id), entry))
  return { entries: next, isChanged: isChanged || !isSame }
}

const facts = ['copy_id', 'attempt_id', 'transaction_id', 'reason_code', 'data_set_id', 'provider_id'] as const
const hasSameFacts = (a: Confirmation | undefined, b: Confirmation): boolean => facts.every((fact) => a?.[fact] === b[fact])
