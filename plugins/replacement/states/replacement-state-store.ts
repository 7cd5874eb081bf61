/** The only writer of `replacements.status` and `replacements.phase`. */
import { sql } from 'kysely'
import type { Params, Tx } from '#kernel'
import type { FailureReason, ReplacementMode, ReplacementOrigin, WaitReason } from '../contract/records.ts'
import { statement } from '../tables.ts'
import {
  columnsOfState,
  type ReplacementEventName,
  type ReplacementPhase,
  type ReplacementStatus,
  replacementEvent,
  replacementEvents,
} from './replacement-transitions-policy.ts'

/** What an event needs to know besides the replacement. */
export interface ReplacementDetails {
  readonly reason?: WaitReason
  readonly message?: string
  readonly failure?: FailureReason
  readonly supersededById?: number
}

interface Given {
  readonly id: number
  readonly nowMs: number
  readonly fromStatus: ReplacementStatus
  readonly fromPhase: ReplacementPhase
  readonly status: ReplacementStatus
  readonly phase: ReplacementPhase
  readonly reason: WaitReason | null
  readonly waitMessage: string | null
  readonly error: string | null
  readonly failure: FailureReason | null
  readonly supersededById: number | null
  readonly takenOverAtMs: number | null
  readonly finishedAtMs: number | null
}

const change = statement((db, given: Params<Given>) =>
  db
    .updateTable('replacements')
    .set({
      status: given.status,
      phase: given.phase,
      wait_reason: given.reason,
      wait_message: given.waitMessage,
      last_error: given.error,
      failure_reason: given.failure,
      superseded_by_id: sql`coalesce(${given.supersededById}, superseded_by_id)`,
      taken_over_at: sql`coalesce(${given.takenOverAtMs}, taken_over_at)`,
      finished_at: given.finishedAtMs,
      updated_at: given.nowMs,
    })
    .where('id', '=', given.id)
    .where('status', '=', given.fromStatus)
    .where('phase', '=', given.fromPhase),
)

export interface NewReplacement {
  readonly bucketId: number
  readonly slot: number
  readonly origin: ReplacementOrigin
  readonly mode: ReplacementMode
  readonly clientRequestId: string
  readonly requestedProviderId: string | null
  readonly sourceId: number
  readonly targetId: number
  readonly providerId: string
}

const first = columnsOfState(replacementEvents.confirmed.to)

const insert = statement((db, row: Params<NewReplacement & { nowMs: number }>) =>
  db
    .insertInto('replacements')
    .values({
      bucket_id: row.bucketId,
      slot: row.slot,
      origin: row.origin,
      mode: row.mode,
      client_request_id: row.clientRequestId,
      requested_provider_id: row.requestedProviderId,
      source_id: row.sourceId,
      target_id: row.targetId,
      provider_id: row.providerId,
      ...first,
      created_at: row.nowMs,
      updated_at: row.nowMs,
    })
    .returning('id'),
)

export async function addReplacement(tx: Tx, row: NewReplacement, nowMs: number): Promise<number> {
  const added = await tx.get(insert, { ...row, nowMs })
  if (!added) throw new Error(`no replacement was inserted for data set ${row.sourceId}`)
  return added.id
}

/** They wait for an operator. */
const stopped: ReadonlySet<ReplacementStatus> = new Set(['failed', 'cleanup_attention'])
const finished: ReadonlySet<ReplacementStatus> = new Set(['completed', 'superseded'])

/** False, without changes, when its state does not take the event. */
export async function changeReplacement(
  tx: Tx,
  event: ReplacementEventName,
  id: number,
  { reason, message, failure, supersededById, nowMs }: ReplacementDetails & { readonly nowMs: number },
): Promise<boolean> {
  const { from, to } = replacementEvent(event)
  const { status, phase } = columnsOfState(to)
  const isWaiting = status === 'waiting'
  const given = {
    id,
    nowMs,
    status,
    phase,
    reason: isWaiting ? (reason ?? null) : null,
    waitMessage: isWaiting ? (message ?? null) : null,
    error: stopped.has(status) ? (message ?? null) : null,
    failure: stopped.has(status) ? (failure ?? null) : null,
    supersededById: supersededById ?? null,
    takenOverAtMs: event === 'taken_over' ? nowMs : null,
    finishedAtMs: finished.has(status) ? nowMs : null,
  }
  for (const state of from) {
    const { status: fromStatus, phase: fromPhase } = columnsOfState(state)
    if ((await tx.run(change, { ...given, fromStatus, fromPhase })).changes === 1) return true
  }
  return false
}
