import type { Params, Reader } from '#kernel'
import { statement } from '../../tables.ts'

interface Page {
  readonly after: number
  readonly limit: number
}

const findAffected = statement((db, { dataSetId, after, limit }: Params<Page & { dataSetId: number }>) =>
  db
    .selectFrom('copies')
    .select('content_id as id')
    .distinct()
    .where('data_set_id', '=', dataSetId)
    .where('content_id', '>', after)
    .orderBy('content_id')
    .limit(limit),
)

/** Contents with a copy on the data set, by id. */
export async function affectedContents(read: Reader, dataSetId: number, page: Page): Promise<readonly number[]> {
  return (await read.all(findAffected, { dataSetId, ...page })).map(({ id }) => id)
}
