import type { Reader } from '#kernel'

/** Contents that are not stored and have copies freed by migration 0007 that no task has processed since, by id. */
export async function freedContents(reader: Reader, page: { readonly after: number; readonly limit: number }): Promise<readonly number[]> {
  return reader
    .all<{ id: number }>(
      `select distinct k.content_id as id from copies k join contents c on c.id = k.content_id
       where k.last_error_code = 'freed' and k.state in ('planned', 'lost') and c.state = 'live' and c.store_state <> 'stored'
         and k.content_id > ? order by k.content_id limit ?`,
      page.after,
      page.limit,
    )
    .map(({ id }) => id)
}
