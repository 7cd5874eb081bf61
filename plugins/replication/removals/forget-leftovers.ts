import type { Database } from '#kernel'
import { deletedContents, forgetDeleted } from '../../storage/catalog/reference-store.ts'

/** Deleted contents per transaction. */
const contentsPerPage = 500

/** Deletes the rows of deleted contents whose removal was complete when the service stopped. */
export async function forgetLeftovers(database: Database): Promise<void> {
  let after = 0
  for (let page = deletedContents(database.read, { after, limit: contentsPerPage }); page.length > 0; ) {
    const ids = page
    await database.write((tx) => {
      for (const id of ids) forgetDeleted(tx, id)
    })
    after = page.at(-1) ?? after
    page = deletedContents(database.read, { after, limit: contentsPerPage })
  }
}
