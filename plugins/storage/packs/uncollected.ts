import type { Database } from '#kernel'
import type { Packs } from '../contract.ts'

/** Contents per transaction. Each may enqueue a task. */
const contentsPerPage = 100

/** Gives the contents that wait for a pack to the keepers of copies: without a collector no pack is made. */
export async function giveUncollected(
  database: Database,
  packs: Pick<Packs, 'nextWaitingBucket' | 'listWaiting' | 'giveToKeepers'>,
): Promise<void> {
  for (let bucketId = await packs.nextWaitingBucket(database.read, 0); bucketId !== undefined; ) {
    const page = await packs.listWaiting(database.read, { bucketId, after: 0, limit: contentsPerPage })
    const contentIds = page.map(({ contentId }) => contentId)
    await database.write((tx) => packs.giveToKeepers(tx, contentIds), { rows: contentIds.length })
    bucketId = await packs.nextWaitingBucket(database.read, bucketId - 1)
  }
}
