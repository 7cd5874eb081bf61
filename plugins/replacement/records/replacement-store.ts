/** Reads of replacements, and what is recorded besides their states. */
import type { Params, Reader, Tx } from '#kernel'
import type { FailureReason, Replacement, WaitReason } from '../contract/records.ts'
import type { ReplacementFilter } from '../contract.ts'
import { drivenStatuses, endedStatuses, type ReplacementStatus, replacementStatuses } from '../states/replacement-transitions-policy.ts'
import { statement } from '../tables.ts'

/** What only the engine reads. */
export interface ReplacementRow extends Replacement {
  /** The data set whose contents become items now; null: the oldest. */
  readonly seedingId: number | null
  /** Its contents up to this id are items. */
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
  'seeding_id as seedingId',
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
  db.selectFrom('replacements').select(columns).$narrowType<Reasons>().where('id', '=', id),
)

const lock = statement((db, { id }: Params<{ id: number }>) =>
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

/** The copying has begun and is not waiting for something else. */
const countCopying = statement((db, { exceptId }: Params<{ exceptId: number }>) =>
  db
    .selectFrom('replacements')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('status', '=', 'migrating')
    .where('id', '<>', exceptId)
    .where((row) => row.or([row('is_seeded', '=', 1), row('seeded_to', '>', 0)])),
)

/** Reads the row, which no other transaction changes before the commit. Locked before the bucket, in every transaction. */
export const lockReplacement = (tx: Tx, id: number): Promise<ReplacementRow | undefined> => tx.get(lock, { id })

export const findReplacement = (read: Reader, id: number): Promise<ReplacementRow | undefined> => read.get(find, { id })

export const findByRequestId = (read: Reader, clientRequestId: string): Promise<ReplacementRow | undefined> =>
  read.get(findByRequest, { clientRequestId })

/** The replacement that is not finished and makes this data set the one of its slot. */
export const openReplacementOfTarget = (read: Reader, targetId: number): Promise<ReplacementRow | undefined> =>
  read.get(findOpenOfTarget, { targetId })

/** The one of the slot that is not finished, locked until the commit. */
export const openReplacementOfSlot = (
  tx: Tx,
  place: { readonly bucketId: number; readonly slot: number },
): Promise<ReplacementRow | undefined> => tx.get(findOpenOfSlot, place)

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

/** Other replacements that copy contents now. */
export const copyingBesides = async (read: Reader, exceptId: number): Promise<number> =>
  (await read.get(countCopying, { exceptId }))?.n ?? 0

interface Seeding {
  readonly id: number
  readonly seedingId: number | null
  readonly seededTo: number
  readonly isSeeded: number
}

const seed = statement((db, { id, seedingId, seededTo, isSeeded }: Params<Seeding>) =>
  db.updateTable('replacements').set({ seeding_id: seedingId, seeded_to: seededTo, is_seeded: isSeeded }).where('id', '=', id),
)

const sweep = statement((db, { id, to }: Params<{ id: number; to: number }>) =>
  db.updateTable('replacements').set({ swept_to: to }).where('id', '=', id),
)

const endAt = statement((db, { id, epoch }: Params<{ id: number; epoch: string }>) =>
  db.updateTable('replacements').set({ termination_epoch: epoch }).where('id', '=', id).where('termination_epoch', 'is', null),
)

const succeed = statement((db, { id, nextId }: Params<{ id: number; nextId: number }>) =>
  db.updateTable('replacements').set({ superseded_by_id: nextId }).where('id', '=', id),
)

interface Counts {
  readonly id: number
  readonly total: number
  readonly copied: number
  readonly noLongerNeeded: number
}

const freeze = statement((db, { id, total, copied, noLongerNeeded }: Params<Counts>) =>
  db
    .updateTable('replacements')
    .set({ items_total: total, items_copied: copied, items_no_longer_needed: noLongerNeeded })
    .where('id', '=', id),
)

const remove = statement((db, { id }: Params<{ id: number }>) => db.deleteFrom('replacements').where('id', '=', id))

const removeEndedOf = statement((db, { bucketId }: Params<{ bucketId: number }>) =>
  db
    .deleteFrom('replacements')
    .where('bucket_id', '=', bucketId)
    .where('status', 'in', endedStatuses)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('replacement_items as i').select('i.content_id').whereRef('i.replacement_id', '=', 'replacements.id'))),
    ),
)

const findStopped = statement((db, { after, limit }: Params<{ after: number; limit: number }>) =>
  db
    .selectFrom('replacements')
    .select(columns)
    .$narrowType<Reasons>()
    .where('id', '>', after)
    .where('status', 'in', ['failed', 'cleanup_attention'])
    .orderBy('id')
    .limit(limit),
)

/** Its items are not deleted yet, or its bucket was. */
const findUncleared = statement((db, { limit }: Params<{ limit: number }>) =>
  db
    .selectFrom('replacements as r')
    .select('r.id')
    .where('r.status', 'in', endedStatuses)
    .where((row) =>
      row.or([
        row.and([row('r.status', '=', 'superseded'), row('r.superseded_by_id', 'is', null)]),
        row.exists(row.selectFrom('replacement_items as i').select('i.content_id').whereRef('i.replacement_id', '=', 'r.id')),
      ]),
    )
    .orderBy('r.id')
    .limit(limit),
)

export async function recordSeeding(
  tx: Tx,
  { isSeeded, ...seeding }: Omit<Seeding, 'isSeeded'> & { readonly isSeeded: boolean },
): Promise<void> {
  await tx.run(seed, { ...seeding, isSeeded: Number(isSeeded) })
}

export async function recordSweep(tx: Tx, id: number, to: number): Promise<void> {
  await tx.run(sweep, { id, to })
}

export async function recordEndEpoch(tx: Tx, id: number, epoch: string): Promise<void> {
  await tx.run(endAt, { id, epoch })
}

export async function recordSuccessor(tx: Tx, id: number, nextId: number): Promise<void> {
  await tx.run(succeed, { id, nextId })
}

/** The counts of a replacement that ends: its items are deleted afterwards. */
export async function freezeCounts(tx: Tx, counts: Counts): Promise<void> {
  await tx.run(freeze, { ...counts })
}

export async function removeReplacement(tx: Tx, id: number): Promise<void> {
  await tx.run(remove, { id })
}

/** Deletes those that ended and have no items. */
export async function removeEndedOfBucket(tx: Tx, bucketId: number): Promise<void> {
  await tx.run(removeEndedOf, { bucketId })
}

/** Replacements that wait for an operator, in pages. */
export const stoppedReplacements = (
  read: Reader,
  page: { readonly after: number; readonly limit: number },
): Promise<readonly ReplacementRow[]> => read.all(findStopped, page)

/** Ended replacements with rows that must be deleted. */
export const unclearedReplacements = async (read: Reader, limit: number): Promise<readonly number[]> =>
  (await read.all(findUncleared, { limit })).map(({ id }) => id)
