/** Data sets that must end and that no task works on. A failed task counts: it waits for an operator. */
import { type Reader, sqlStatement } from '#kernel'
import type { RuleRow } from '#kernel/system'
import { taskKeys } from '../task-keys.ts'

const hasTask = (key: (id: number) => string) =>
  `exists (select 1 from tasks t where t.status in ('pending', 'running', 'failed') and t.key = '${key(0).slice(0, -1)}' || d.id)`

const ending = 'from data_set_endings e join data_sets d on d.id = e.data_set_id'
const withoutEnd = `${ending} where not ${hasTask(taskKeys.end)}`
const withoutEnsure = `${ending} where d.state = 'creating' and not ${hasTask(taskKeys.ensure)}`

const findWithoutEnd = sqlStatement<{ after: number; limit: number }, { id: number }>(
  `select d.id ${withoutEnd} and d.id > :after order by d.id limit :limit`,
)
const findWithoutEnsure = sqlStatement<{ after: number; limit: number }, { id: number }>(
  `select d.id ${withoutEnsure} and d.id > :after order by d.id limit :limit`,
)

/** For the doctor. */
export const stuckEndings = sqlStatement<{ limit: number }, RuleRow>(
  `select x.id, (select coalesce(b.deleted_name, b.name) from buckets b where b.id = x.bucket_id) as bucket
   from (select d.id, d.bucket_id ${withoutEnd} union select d.id, d.bucket_id ${withoutEnsure}) x limit :limit`,
)

interface Page {
  readonly after: number
  readonly limit: number
}

const idsOf = (rows: readonly { readonly id: number }[]): readonly number[] => rows.map(({ id }) => id)

/** Data sets whose end no task works on, in the order of their ids. */
export const endsWithoutTask = async (read: Reader, page: Page): Promise<readonly number[]> => idsOf(await read.all(findWithoutEnd, page))

/** Data sets whose end waits for a creation that no task follows, in the order of their ids. */
export const creationsWithoutTask = async (read: Reader, page: Page): Promise<readonly number[]> =>
  idsOf(await read.all(findWithoutEnsure, page))
