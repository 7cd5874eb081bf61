import { SvcError } from '#kernel'
import type { ReplacementCandidate } from '../contract/records.ts'
import { replacementErrors } from '../errors.ts'

/** The provider that svc takes, or the one that the operator named. Throws the refusal. */
export function chooseTarget(
  candidates: readonly ReplacementCandidate[],
  providerId: string | undefined,
): ReplacementCandidate['provider'] {
  if (providerId === undefined) {
    const best = candidates.find(({ isEligible, wasUsed }) => isEligible && !wasUsed)
    if (!best) throw replacementErrors.replacement_no_eligible_provider()
    return best.provider
  }
  const chosen = candidates.find(({ provider }) => provider.providerId === providerId)
  if (!chosen)
    throw new SvcError('replacement_target_unavailable', {
      status: 400,
      message: `Provider ${providerId} is not among the available ones now. List the providers again.`,
    })
  switch (chosen.ineligibleReason) {
    case undefined:
      return chosen.provider
    case 'current_source':
      throw replacementErrors.replacement_target_invalid({
        message: `Provider ${providerId} is the one to be replaced. Choose another one.`,
      })
    case 'already_serves_bucket':
      throw replacementErrors.replacement_target_in_use()
    case 'blocked':
      throw replacementErrors.replacement_target_invalid({ message: `Provider ${providerId} is blocked: it gets no new data sets.` })
    case 'piece_too_large':
      throw replacementErrors.replacement_target_invalid({
        message: `Provider ${providerId} takes only smaller pieces than the replica may have.`,
      })
  }
}
