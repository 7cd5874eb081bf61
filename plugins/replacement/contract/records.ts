/** A replacement, its progress, and what is asked for. */
import type { SlotProvider } from '#plugins/replication'
import type { ReplacementPhase, ReplacementStatus } from '../states/replacement-transitions-policy.ts'

export type { ReplacementStatus }

/** Who confirmed it: a person, or the automatic repair. */
export type ReplacementOrigin = 'operator' | 'repair'
export type ReplacementMode = 'automatic' | 'manual'

/**
 * Why a replacement waits. target_creating: the creation is sent and not confirmed · target_writable: it is created and takes no pieces yet ·
 * target: the new provider does not answer · funding: the account cannot pay the next step · spend_limit: a spend limit is reached · source:
 * neither the cache nor another provider has the bytes of what is left · retirement: the old service may not end yet, or its end is not
 * final · turn: as many replicas as allowed are being moved.
 */
export const waitReasons = [
  'target_creating',
  'target_writable',
  'target',
  'funding',
  'spend_limit',
  'source',
  'retirement',
  'turn',
] as const
export type WaitReason = (typeof waitReasons)[number]

/** target_in_use: the chain has another data set of the bucket at the provider; permanent for that provider. */
export type FailureReason = 'target_in_use' | 'target_not_created' | 'items_failed' | 'target_lost'

export interface Replacement {
  readonly id: number
  readonly bucketId: number
  readonly slot: number
  readonly origin: ReplacementOrigin
  readonly mode: ReplacementMode
  readonly clientRequestId: string
  /** The provider that a manual confirmation named; null for an automatic one. */
  readonly requestedProviderId: string | null
  /** Local ids of data sets. */
  readonly sourceId: number
  readonly targetId: number
  /** The provider of the target. */
  readonly providerId: string
  readonly status: ReplacementStatus
  /** What it is at; one that waits or has failed keeps the phase in which it stopped. */
  readonly phase: ReplacementPhase
  /** Both are null unless it waits. */
  readonly waitReason: WaitReason | null
  readonly waitMessage: string | null
  /** Null unless it failed or its cleanup needs an operator. */
  readonly lastError: string | null
  readonly failureReason: FailureReason | null
  readonly supersededById: number | null
  /** When the target became the data set of the slot. */
  readonly takenOverAtMs: number | null
  /** Epoch up to which the old service is paid, as decimal text; null before its end is on chain. */
  readonly terminationEpoch: string | null
  readonly createdAtMs: number
  readonly updatedAtMs: number
  readonly finishedAtMs: number | null
}

/** States of an item; each item is in one. `active`: being transferred, or in a transaction that is not confirmed. */
export const itemStates = ['pending', 'active', 'retrying', 'waiting_source', 'failed', 'attention', 'copied', 'no_longer_needed'] as const
export type ItemState = (typeof itemStates)[number]

/** Counts of items, which are contents: versions with the same bytes are one item. */
export interface ReplacementProgress {
  readonly phase: ReplacementPhase
  /** False: contents are still being found, and the total is the number found so far. */
  readonly isSeeded: boolean
  readonly total: number
  readonly byState: Readonly<Record<ItemState, number>>
  /** Copied and no longer needed. */
  readonly processed: number
  /** 0 to 100 with two decimals, 100 only when all are processed; undefined until all were found. */
  readonly percent: number | undefined
  /** Null unless a retry is due later. */
  readonly nextRetryAtMs: number | null
}

/** `current_source` and `already_serves_bucket` are those of the specification. */
type IneligibleReason = 'current_source' | 'already_serves_bucket' | 'blocked' | 'piece_too_large'

export interface ReplacementCandidate {
  readonly provider: SlotProvider & { readonly name: string }
  readonly isEligible: boolean
  readonly ineligibleReason: IneligibleReason | undefined
  /** The bucket used it and has fully retired it: an operator may choose it again, svc never does. */
  readonly wasUsed: boolean
}

export interface ReplacementCommand {
  readonly bucketId: number
  /** The local id of the data set to replace. */
  readonly dataSetId: number
  readonly mode: string
  /** Only with `manual`. */
  readonly providerId?: string | undefined
  /** Is trimmed. The same id with the same other members finds the first replacement again. */
  readonly clientRequestId: string
  readonly origin: ReplacementOrigin
}
