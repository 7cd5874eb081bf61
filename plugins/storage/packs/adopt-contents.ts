import type { Clock, Tx } from '#kernel'
import { reviewReleasable } from '../catalog/cached/releasable-store.ts'
import { insertSeparateContent } from '../catalog/contents/content-state-store.ts'
import { raiseTarget } from '../catalog/contents/content-store.ts'
import { lockLiveContent } from '../catalog/contents/live-content-store.ts'
import { addMembersAlone, contentsAlone } from '../catalog/packs/pack-store.ts'
import type { Keepers } from '../contents/keepers.ts'
import type { PackMove, SeparatedCopies } from '../contract.ts'

export interface AdoptDeps {
  readonly clock: Clock
  readonly keepers: Pick<Keepers, 'needed' | 'busyReason' | 'separateCopies'>
}

/**
 * I-20: contents become members of a pack only when it has as many copies as each of them wants. Their own copies move to a released content
 * each, in the same transaction, and are removed like those of any deleted object.
 */
export async function adoptContents({ clock, keepers }: AdoptDeps, tx: Tx, { packId, members }: PackMove): Promise<boolean> {
  const nowMs = clock.now()
  const pack = await lockLiveContent(tx, packId)
  if (!pack) return false
  const alone = new Map(
    (
      await contentsAlone(
        tx,
        members.map(({ contentId }) => contentId),
      )
    ).map(({ id, targetCopies }) => [id, targetCopies]),
  )
  const targetCopies = Math.max(pack.targetCopies, ...alone.values())
  if (targetCopies > pack.targetCopies) {
    await keepers.needed(tx, await raiseTarget(tx, pack, { targetCopies, nowMs }))
    return false
  }
  if (pack.storeState !== 'stored') return false
  for (const contentId of alone.keys()) if ((await keepers.busyReason(tx, contentId)) !== undefined) return false
  await addMembersAlone(
    tx,
    packId,
    members.filter(({ contentId }) => alone.has(contentId)),
    nowMs,
  )
  const moves: SeparatedCopies[] = []
  for (const from of alone.keys()) moves.push({ from, to: await insertSeparateContent(tx, from, nowMs) })
  await keepers.separateCopies(tx, moves)
  await reviewReleasable(tx, [packId])
  return true
}
