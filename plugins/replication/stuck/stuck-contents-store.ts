/** Contents below their target that no task works on (I-43). */
import { type Reader, sqlStatement } from '#kernel'
import type { RuleRow } from '#kernel/system'
import { statesWithBytes, unsettledStates } from '../states/tables/copy-transitions-policy.ts'
import { endedStates, statesThatMayServe, statesThatTakePieces } from '../states/tables/data-set-transitions-policy.ts'
import { listOf } from '../states/tables/transition.ts'
import { taskKeys } from '../task-keys.ts'
import { hasOpenTask } from './open-task.ts'

const isStoreOpen = hasOpenTask(taskKeys.store, 'c.id')

/** Slots of content `c` with a copy that is not in a final state, or committed to a data set that keeps it. */
const heldSlots = `(select count(distinct k.slot) from copies k join data_sets d on d.id = k.data_set_id
  where k.content_id = c.id and k.state not in ('failed', 'lost', 'removed') and d.state not in ${listOf(['lost', ...endedStates])})`

/** Another provider has the piece of copy `k`, so that a pull can fetch it. */
const hasSource = `exists (select 1 from copies s join data_sets e on e.id = s.data_set_id
  where s.piece_id = k.piece_id and s.slot <> k.slot and s.state in ${listOf(statesWithBytes)}
    and e.state in ${listOf(statesThatMayServe)})`

const lacksSlot = `${heldSlots} < c.target_copies`

/** A copy can be planned: not all were, or a slot has a later data set. One that ended and is still the current one of its slot blocks it. */
const isPlannable = `((select count(*) from copies k where k.content_id = c.id) < c.target_copies
  or exists (select 1 from replica_slots s join data_sets d on d.id = s.current_data_set_id
    where s.bucket_id = c.bucket_id and d.state in ${listOf(statesThatTakePieces)}
      and not exists (select 1 from copies k where k.content_id = c.id and k.data_set_id = d.id)))`

/** The store task plans the copies of a content, uploads its bytes and enqueues the pulls of the other copies. */
const needsStore = `(not ${isStoreOpen} and (${lacksSlot} and ${isPlannable}
  or exists (select 1 from copies k where k.content_id = c.id and k.state = 'transferring' and k.batch_id is null)
  or exists (select 1 from copies k where k.content_id = c.id and k.state = 'planned'
    and not (${hasSource} and ${hasOpenTask(taskKeys.pull, 'k.data_set_id')}))))`

/** A copy of content `c` waits for a task of its data set that does not exist. */
const waitsForDataSet = `exists (select 1 from copies k join data_sets d on d.id = k.data_set_id
  where k.content_id = c.id and k.state in ${listOf(unsettledStates)}
    and not case when d.state in ('planned', 'creating') then ${hasOpenTask(taskKeys.ensure, 'd.id')}
      when k.state = 'transferring' and k.batch_id is not null then ${hasOpenTask(taskKeys.pull, 'd.id')}
      when k.state in ('planned', 'transferring') then true
      else ${hasOpenTask(taskKeys.commit, 'd.id')} end)`

/** The copies of a member are those of its pack, and a content that waits for a pack has no piece of its own. */
const hasOwnPiece = `not exists (select 1 from pack_members m where m.content_id = c.id)
  and not exists (select 1 from waiting_members w where w.content_id = c.id)`

/** Storing needs bytes. A keeper that was absent learns at the next start what it missed. */
const mayBeStored = `c.state = 'live' and c.part_count = 0 and c.size > 0 and c.store_state not in ('stored', 'lost') and ${hasOwnPiece}
  and exists (select 1 from copy_keepers a where a.name = 'replication' and a.was_absent = 0)`

/**
 * A content has a row for each copy that was ever planned. With fewer than its target, and no record that its store task failed, the row of
 * a copy may be lost: storing it again could pay for it twice. The doctor reports it (`lackingCopies`).
 */
const isSafe = `((select count(*) from copies k where k.content_id = c.id) >= c.target_copies
  or exists (select 1 from resumptions r where r.work = '${taskKeys.store(0).slice(0, -1)}' || c.id)
  or '${taskKeys.store(0).slice(0, -1)}' || c.id in (select t.key from tasks t where t.kind = 'storage_store' and t.status = 'failed' and t.key is not null))`

const findAmong = sqlStatement<{ ids: readonly number[] }, { id: number }>(
  `select c.id from contents c where c.id in :ids and ${mayBeStored}
     and (${needsStore} or ${waitsForDataSet} or (not ${isStoreOpen} and ${lacksSlot}))`,
)

/** A place in the index of contents that are not stored. */
export interface UnsettledPlace {
  readonly bucketId: number
  readonly storeState: string
  readonly id: number
}

interface PageRow extends UnsettledPlace {
  readonly isStuck: number
}

/** Reads a page of contents, so that its cost has a bound however few of them are stuck. */
const findPage = sqlStatement<UnsettledPlace & { limit: number }, PageRow>(
  `select c.id, c.bucket_id as "bucketId", c.store_state as "storeState",
     case when ${mayBeStored} and ${needsStore} and ${isSafe} then 1 else 0 end as "isStuck"
   from (select * from contents where store_state <> 'stored' and (bucket_id, store_state, id) > (:bucketId, :storeState, :id)
     order by bucket_id, store_state, id limit :limit) c order by c.bucket_id, c.store_state, c.id`,
)

const keyOf = `coalesce((select min(v.key) from object_versions v where v.content_id = c.id),
  (select min(v.key) from content_parts w join object_versions v on v.content_id = w.content_id where w.part_content_id = c.id)) as key`

/** For the doctor. */
export const stuckContents = sqlStatement<{ limit: number }, RuleRow>(
  `select c.id, b.name as bucket, ${keyOf} from contents c join buckets b on b.id = c.bucket_id
   where c.store_state <> 'stored' and ${mayBeStored} and ${needsStore} and ${isSafe} limit :limit`,
)

/** For the doctor: contents that nothing stores again, because the row of a copy may be lost. */
export const lackingCopies = sqlStatement<{ limit: number }, RuleRow>(
  `select c.id, b.name as bucket, ${keyOf} from contents c join buckets b on b.id = c.bucket_id
   where c.state = 'live' and c.part_count = 0 and c.size > 0 and c.store_state <> 'lost' and ${hasOwnPiece}
     and exists (select 1 from copy_keepers a where a.name = 'replication' and a.was_absent = 0)
     and not ${isStoreOpen} and not ${isSafe} limit :limit`,
)

const findResumable = sqlStatement<{ ids: readonly number[] }, { id: number }>(
  `select c.id from contents c where c.id in :ids and ${mayBeStored} and (${needsStore} and ${isSafe} or ${waitsForDataSet}) limit 1`,
)
const isOneStuck = sqlStatement<{ id: number }, { id: number }>(
  `select c.id from contents c where c.id = :id and ${mayBeStored} and ${needsStore} and ${isSafe}`,
)

/** Returns the contents that are below their target and have a copy, made or missing, that no task works on. */
export async function stuckAmong(read: Reader, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set()
  return new Set((await read.all(findAmong, { ids })).map(({ id }) => id))
}

/** Whether tasks that svc enqueues again can make copies of one of these contents. */
export const canResumeAny = async (read: Reader, ids: readonly number[]): Promise<boolean> =>
  (await read.get(findResumable, { ids })) !== undefined

/** Whether the content needs its store task, and may have it. */
export const needsItsStore = async (read: Reader, id: number): Promise<boolean> => (await read.get(isOneStuck, { id })) !== undefined

/** The contents of one page that need a store task, and the place after it; undefined after the last page. */
export async function pageOfStuckContents(
  read: Reader,
  after: UnsettledPlace,
  limit: number,
): Promise<{ readonly ids: readonly number[]; readonly next: UnsettledPlace | undefined }> {
  const rows = await read.all(findPage, { bucketId: after.bucketId, storeState: after.storeState, id: after.id, limit })
  return { ids: rows.flatMap(({ id, isStuck }) => (isStuck === 1 ? [id] : [])), next: rows.length < limit ? undefined : rows.at(-1) }
}
