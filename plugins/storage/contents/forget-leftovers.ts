import type { Database } from '#kernel'
import { deletedContents } from '../catalog/references/reference-store.ts'
import type { Contents } from '../contract.ts'

/** Deleted contents per transaction. */
const contentsPerPage = 500

/** Deletes the rows of deleted contents whose removal was complete when the service stopped. */
export async function forgetLeftovers(database: Database, contents: Pick<Contents, 'forgetIfReleased'>): Promise<void> {
  let after = 0
  for (let page = await deletedContents(database.read, { after, limit: contentsPerPage }); page.length > 0; ) {
    const ids = page
    await database.write(async (tx) => {
      for (const id of ids) await contents.forgetIfReleased(tx, id)
    })
    after = page.at(-1) ?? after
    page = await deletedContents(database.read, { after, limit: contentsPerPage })
  }
}
