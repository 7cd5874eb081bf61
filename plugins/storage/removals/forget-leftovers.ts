import type { Database } from '#kernel'
import { deletedContents, forgetDeleted } from '../catalog/reference-store.ts'

/** Deleted contents looked at in one transaction. */
const contentsPerPage = 500

/** Forgets deleted contents whose last step was done just before an earlier stop. */
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
