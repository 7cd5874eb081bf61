/** Statements that find violations. */
import { sqlStatement } from '#kernel'
import type { RuleRow } from '#kernel/system'
import { driveKey } from '../engine/drive-task.ts'
import { drivenStatuses } from '../states/replacement-transitions-policy.ts'

const driven = drivenStatuses.map((status) => `'${status}'`).join(', ')
const prefix = driveKey(0).slice(0, -1)

/** I-43 */
export const undriven = sqlStatement<{ limit: number }, RuleRow>(
  `select r.id, b.name as bucket from replacements r join buckets b on b.id = r.bucket_id
   where r.status in (${driven})
     and not exists (select 1 from tasks t where t.status in ('pending', 'running') and t.key = '${prefix}' || r.id) limit :limit`,
)
