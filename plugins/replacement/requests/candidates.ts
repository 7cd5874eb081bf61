/** Providers that could take a replica. */
import type { Database } from '#kernel'
import type { AvailableProvider, Providers } from '#plugins/providers'
import type { ReplicaSlots } from '#plugins/replication'
import type { ReplacementCandidate } from '../contract/records.ts'
import { replacementErrors } from '../errors.ts'
import { findSlotOf } from './find-source.ts'

export interface CandidateDeps {
  readonly database: Pick<Database, 'read'>
  readonly slots: ReplicaSlots
  readonly providers: Pick<Providers, 'listAvailable'>
}

/** The inventory is read, and not the chain's state of the bucket: a confirmation checks recorded information only. */
export async function listAvailable({ providers }: Pick<CandidateDeps, 'providers'>): Promise<readonly AvailableProvider[]> {
  try {
    return await providers.listAvailable()
  } catch (cause) {
    throw replacementErrors.replacement_service_unavailable({ cause })
  }
}

/** Eligible ones first, best first. */
export async function judgeProviders(
  { database, slots }: Pick<CandidateDeps, 'database' | 'slots'>,
  dataSetId: number,
  available: readonly AvailableProvider[],
): Promise<readonly ReplacementCandidate[]> {
  const judged = await slots.judge(database.read, dataSetId, available)
  const candidates = judged.map(({ provider, eligible, ineligibleReason, previouslyUsed }) => ({
    provider,
    isEligible: eligible,
    ineligibleReason,
    wasUsed: previouslyUsed,
  }))
  return [...candidates.filter(({ isEligible }) => isEligible), ...candidates.filter(({ isEligible }) => !isEligible)]
}

export async function listCandidates(
  deps: CandidateDeps,
  place: { readonly bucketId: number; readonly dataSetId: number },
): Promise<readonly ReplacementCandidate[]> {
  const { currentId } = await findSlotOf(deps.slots, deps.database.read, place)
  if (currentId !== place.dataSetId) throw replacementErrors.replacement_source_not_current()
  return judgeProviders(deps, place.dataSetId, await listAvailable(deps))
}
