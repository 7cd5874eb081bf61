/** Reads of replacements, and what is recorded besides their states. */
import type { Params, Reader, Tx } from '#kernel'
import type { FailureReason, Replacement, WaitReason } from '../contract/records.ts'
import type { ReplacementFilter } from '../contract.ts'
import { drivenStatuses, endedStatuses, type ReplacementStatus, replacementStatuses } from '../states/replacement-transitions-policy.ts'
import { statement } from '../tables.ts'

/** What only the engine reads. */
export interface ReplacementRow extends Replacement {
  /** Contents up to this id are items. */
  readonly seededTo: number
  readonly isSeeded: number
  /** Items up to this id were looked at in the present round. */
  readonly sweptTo: number
  /** Counts of an ended one. */
  readonly itemsTotal: number
  readonly itemsCopied: number
  readonly itemsNoLongerNeeded: number
}

const columns = [
  'id',
  'bucket_id as bucketId',
  'slot',
  'origin',
  'mode',
  'client_request_id as clientRequestId',
  'requested_provider_id as requestedProviderId',
  'source_id as sourceId',
  'target_id as targetId',
  'provider_id as providerId',
  'status',
  'phase',
  'wait_reason as waitReason',
  'wait_message as waitMessage',
  'last_error as lastError',
  'failure_reason as failureReason',
  'superseded_by_id as supersededById',
  'taken_over_at as takenOverAtMs',
  'termination_epoch as terminationEpoch',
  'seeded_to as seededTo',
  'is_seeded as isSeeded',
  'swept_to as sweptTo',
  'items_total as itemsTotal',
  'items_copied as itemsCopied',
  'items_no_longer_needed as itemsNoLongerNeeded',
  'created_at as createdAtMs',
  'updated_at as updatedAtMs',
  'finished_at as finishedAtMs',
] as const

type Reasons = { waitReason: WaitReason | null; failureReason: FailureReason | null }

const find = statement((db, { id }: Params<{ id: number }>) =>
  db.selectFrom('replacements').select(columns).$narrowType<Reasons>().where('id', '=', id).forUpdate(),
)

const findByRequest = statement((db, { clientRequestId }: Params<{ clientRequestId: string }>) =>
  db.selectFrom('replacements').select(columns).$narrowType<Reasons>().where('client_request_id', '=', clientRequestId),
)

const findOpenOfTarget = statement((db, { targetId }: Params<{ targetId: number }>) =>
  db
    .selectFrom('replacements')
    .select(columns)
    .$narrowType<Reasons>()
    .where('target_id', '=', targetId)
    .where('status', 'not in', endedStatuses),
)

const findOpenOfSlot = statement((db, { bucketId, slot }: Params<{ bucketId: number; slot: number }>) =>
  db
    .selectFrom('replacements')
    .select(columns)
    .$narrowType<Reasons>()
    .where('bucket_id', '=', bucketId)
    .where('slot', '=', slot)
    .where('status', 'not in', endedStatuses)
    .forUpdate(),
)

type Page = { before: number; statuses: readonly ReplacementStatus[]; limit: number }

const listAll = statement((db, { before, statuses, limit }: Params<Page>) =>
  db
    .selectFrom('replacements')
    .select(columns)
    .$narrowType<Reasons>()
    .where('id', '<', before)
    .where('status', 'in', statuses)
    .orderBy('id', 'desc')
    .limit(limit),
)

const listOfBucket = statement((db, { bucketId, before, statuses, limit }: Params<Page & { bucketId: number }>) =>
  db
    .selectFrom('replacements')
    .select(columns)
    .$narrowType<Reasons>()
    .where('bucket_id', '=', bucketId)
    .where('id', '<', before)
    .where('status', 'in', statuses)
    .orderBy('id', 'desc')
    .limit(limit),
)

const findDriven = statement((db, { after, limit }: Params<{ after: number; limit: number }>) =>
  db.selectFrom('replacements').select('id').where('id', '>', after).where('status', 'in', drivenStatuses).orderBy('id').limit(limit),
)

const countMoving = statement((db, { id }: Params<{ id: number }>) =>
  db
    .selectFrom('replacements')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('status', 'in', drivenStatuses)
    .where('phase', '=', 'migrate')
    .where('id', '<', id),
)

/** Reads the row; in a transaction it is locked until the commit. */
export const findReplacement = (read: Reader, id: number): Promise<ReplacementRow | undefined> => read.get(find, { id })

export const findByRequestId = (read: Reader, clientRequestId: string): Promise<ReplacementRow | undefined> =>
  read.get(findByRequest, { clientRequestId })

/** The replacement that is not finished and makes this data set the one of its slot. */
export const openReplacementOfTarget = (read: Reader, targetId: number): Promise<ReplacementRow | undefined> =>
  read.get(findOpenOfTarget, { targetId })

export const openReplacementOfSlot = (
  read: Reader,
  place: { readonly bucketId: number; readonly slot: number },
): Promise<ReplacementRow | undefined> => read.get(findOpenOfSlot, place)

export function listReplacements(
  read: Reader,
  { bucketId, statuses = replacementStatuses, before = Number.MAX_SAFE_INTEGER, limit }: ReplacementFilter,
): Promise<readonly ReplacementRow[]> {
  const page = { before, statuses, limit }
  return bucketId === undefined ? read.all(listAll, page) : read.all(listOfBucket, { bucketId, ...page })
}

/** Ids of replacements that a task drives, in pages. */
export const drivenReplacements = async (
  read: Reader,
  page: { readonly after: number; readonly limit: number },
): Promise<readonly number[]> => (await read.all(findDriven, page)).map(({ id }) => id)

/** Replacements that were confirmed earlier and copy contents. */
export const movesBefore = async (read: Reader, id: number): Promise<number> => (await read.get(countMoving, { id }))?.n ?? 0

const seed = statement((db, { id, to, isSeeded }: Params<{ id: number; to: number; isSeeded: number }>) =>
  db.updateTable('replacements').set({ seeded_to: to, is_seeded: isSeeded }).where('id', '=', id),
)

const sweep = statement((db, { id, to }: Params<{ id: number; to: number }>) =>
  db.updateTable('replacements').set({ swept_to: to }).where('id', '=', id),
)

const endAt = statement((db, { id, epoch }: Params<{ id: number; epoch: string }>) =>
  db.updateTable('replacements').set({ termination_epoch: epoch }).where('id', '=', id),
)

export async function recordSeeding(
  tx: Tx,
  id: number,
  { to, isSeeded }: { readonly to: number; readonly isSeeded: boolean },
): Promise<void> {
  await tx.run(seed, { id, to, isSeeded: Number(isSeeded) })
}

export async function recordSweep(tx: Tx, id: number, to: number): Promise<void> {
  await tx.run(sweep, { id, to })
}

export async function recordEndEpoch(tx: Tx, id: number, epoch: string): Promise<void> {
  await tx.run(endAt, { id, epoch })
}
