import type { Tx } from '#kernel'
import { reviewReleasable } from '../catalog/cached/releasable-store.ts'
import { raiseTarget } from '../catalog/contents/content-store.ts'
import { lockLiveContent } from '../catalog/contents/live-content-store.ts'
import { hasMembers, movePackMembers, packsOfMembers } from '../catalog/packs/pack-store.ts'
import type { Keepers } from '../contents/keepers.ts'
import { endPack, type PackEndDeps } from '../contents/leave-pack.ts'
import type { PackMove } from '../contract.ts'

type MoveDeps = PackEndDeps & { readonly keepers: Pick<Keepers, 'needed'> }

/**
 * I-20: members leave a pack only for one that has as many copies as each of them wants. The packs that lose their last member end in the
 * same transaction.
 */
export async function movePack(deps: MoveDeps, tx: Tx, { packId, members }: PackMove): Promise<boolean> {
  const nowMs = deps.clock.now()
  const pack = await lockLiveContent(tx, packId)
  if (!pack) return false
  const contentIds = members.map(({ contentId }) => contentId)
  const from = (await packsOfMembers(tx, contentIds)).filter((other) => other.packId !== packId)
  const targetCopies = Math.max(pack.targetCopies, ...from.map((other) => other.targetCopies))
  if (targetCopies > pack.targetCopies) {
    await deps.keepers.needed(tx, await raiseTarget(tx, pack, { targetCopies, nowMs }))
    return false
  }
  if (pack.storeState !== 'stored') return false
  await movePackMembers(tx, packId, members, nowMs)
  await reviewReleasable(tx, [packId])
  for (const id of [...from.map((other) => other.packId), packId]) if (!(await hasMembers(tx, id))) await endPack(deps, tx, id)
  return true
}

export async function endLostPack(deps: PackEndDeps, tx: Tx, packId: number): Promise<boolean> {
  const pack = await lockLiveContent(tx, packId)
  if (pack?.storeState !== 'lost' || (await hasMembers(tx, packId))) return false
  await endPack(deps, tx, packId)
  return true
}
