/** Contents with fewer copies than their target that no task will plan. */
import { sqlStatement } from '#kernel'
import type { RuleRow } from '#kernel/system'
import { taskKeys } from '../task-keys.ts'

/** The key and kind of the store task of a content `c`. It ends when as many copies as the target are planned, and their rows stay. */
const keyOfStore = `'${taskKeys.store(0).slice(0, -1)}' || c.id`
const isStore = `t.kind = 'storage_store'`

/**
 * A failed task waits for an operator. Without bytes nothing can be stored. A keeper that was absent learns at the next start what it
 * missed. Separate conditions on the status, so that each uses an index.
 */
export const lackingCopies = sqlStatement<{ limit: number }, RuleRow>(
  `select c.id, b.name as bucket, (select min(v.key) from object_versions v where v.content_id = c.id) as key
   from contents c join buckets b on b.id = c.bucket_id
   where c.state = 'live' and c.part_count = 0 and c.size > 0 and c.store_state <> 'lost'
     and (select count(*) from copies k where k.content_id = c.id) < c.target_copies
     and exists (select 1 from copy_keepers a where a.name = 'replication' and a.was_absent = 0)
     and not exists (select 1 from tasks t where t.status in ('pending', 'running') and t.key = ${keyOfStore} and ${isStore})
     and ${keyOfStore} not in (select t.key from tasks t where t.status = 'failed' and t.key is not null and ${isStore}) limit :limit`,
)
