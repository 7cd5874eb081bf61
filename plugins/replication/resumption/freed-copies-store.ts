import type { Params, Reader } from '#kernel'
import { statement } from '../tables.ts'

interface Page {
  readonly after: number
  readonly limit: number
}

const findFreed = statement((db, { after, limit }: Params<Page>) =>
  db
    .selectFrom('copies as k')
    .innerJoin('contents as c', 'c.id', 'k.content_id')
    .select('k.content_id as id')
    .distinct()
    .where('k.last_error_code', '=', 'freed')
    .where('k.state', 'in', ['planned', 'lost'])
    .where('c.state', '=', 'live')
    .where('c.store_state', '<>', 'stored')
    .where('k.content_id', '>', after)
    .orderBy('k.content_id')
    .limit(limit),
)

/** Contents that are not stored and have copies freed by migration 0007 that no task has processed since, by id. */
export async function freedContents(reader: Reader, page: Page): Promise<readonly number[]> {
  return (await reader.all(findFreed, page)).map(({ id }) => id)
}
