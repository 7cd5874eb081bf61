import type { Pipeline } from '../pipeline.ts'
import { type EndState, endRemoval, type Removal } from './removal-store.ts'

export type EndRemovalsDeps = Pick<Pipeline, 'clock' | 'contents' | 'database' | 'states'>

/** The pieces are no longer on chain: they were removed, or their data set ended. */
export async function endRemovals(
  { database, clock, contents, states }: EndRemovalsDeps,
  removals: readonly Removal[],
  state: EndState,
): Promise<void> {
  if (removals.length === 0) return
  await database.write(async (tx) => {
    const copyIds: number[] = []
    for (const { id, copyId, contentId } of removals) {
      const isEnded = await endRemoval(tx, id, { state, nowMs: clock.now() })
      if (isEnded && copyId !== null) copyIds.push(copyId)
      else await contents.forgetIfReleased(tx, contentId)
    }
    await states.copies.apply(tx, 'removed', { ids: copyIds })
  })
}
