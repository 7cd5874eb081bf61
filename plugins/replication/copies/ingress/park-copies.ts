import { defineProbe, type Tx } from '#kernel'
import type { Pipeline } from '../../pipeline.ts'

export type ParkCopiesDeps = Pick<Pipeline, 'database' | 'progressed' | 'states'>

const parked = defineProbe('storage.store.parked')

/** The provider serves the pieces of these uploaded copies. `settle` gets the contents of those that changed, in the same transaction. */
export async function parkCopies(
  { database, states, progressed }: ParkCopiesDeps,
  copyIds: readonly number[],
  settle: (tx: Tx, contentIds: readonly number[]) => Promise<void> = async () => {},
): Promise<void> {
  await database.write(async (tx) => {
    const changed = await states.copies.apply(tx, 'stored', { ids: copyIds, batchId: null, isUploaded: true })
    if (changed.length > 0)
      await settle(
        tx,
        changed.map(({ contentId }) => contentId),
      )
  })
  progressed()
  await parked()
}
