import { database } from '#kernel'
import { defineBucketDetailPart } from '../contract.ts'
import { runningBulkActionOf } from './bulk-action-store.ts'

/** The details of a bucket name the bulk action that runs, so that its page asks for it only then. */
export const bucketBulkPart = defineBucketDetailPart({
  name: 'bulk-action',
  uses: { database },
  async describe({ database }, { id }) {
    const running = await runningBulkActionOf(database.read, id)
    return running === undefined ? {} : { members: { bulk_action_id: running } }
  },
})
