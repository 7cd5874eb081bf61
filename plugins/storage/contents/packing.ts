import type { Tx } from '#kernel'
import { raiseTarget } from '../catalog/contents/content-store.ts'
import { lockLiveContent } from '../catalog/contents/live-content-store.ts'
import { isOnlyMember, packIdOf, packsOfBucket } from '../catalog/packs/pack-store.ts'
import { addWaiting, dropWaiting, isWaiting } from '../catalog/packs/waiting-store.ts'
import { sha256OfContent } from '../catalog/references/reference-store.ts'
import type { NeededContent, PackCollector } from '../contract.ts'
import type { Attached } from './attached.ts'
import type { Keepers } from './keepers.ts'
import { endPack, leavePackOf, type PackEndDeps } from './leave-pack.ts'

interface PackingDeps extends Omit<PackEndDeps, 'keepers'> {
  readonly collectors: () => readonly Attached<PackCollector>[]
}

/**
 * The keepers without the contents that are packed: members of packs, whose copies are those of the pack, and contents that wait for one.
 * Each content is with the keepers, waits, or is a member, and its rows say which.
 */
export function withPacking(keepers: Keepers, { collectors, ...deps }: PackingDeps): Keepers {
  const { clock } = deps
  const ends: PackEndDeps = { ...deps, keepers }

  /** A member is read by its SHA-256: contents without one are left to the keepers. */
  async function collects(tx: Tx, content: NeededContent): Promise<boolean> {
    const [collector] = collectors()
    if (!collector || !(await collector.item.collects(collector.services, tx, content))) return false
    return (await sha256OfContent(tx, content.id)) !== null
  }

  async function offer(tx: Tx, content: NeededContent): Promise<void> {
    if (!(await collects(tx, content))) return keepers.needed(tx, content)
    const { id: contentId, bucketId, size: length } = content
    await addWaiting(tx, { contentId, bucketId, length, nowMs: clock.now() })
  }

  return {
    ...keepers,
    async needed(tx, content) {
      if (content.reason === 'new') return offer(tx, content)
      if (await isWaiting(tx, content.id)) return
      const packId = await packIdOf(tx, content.id)
      if (packId === undefined) return content.reason === 'recovered' ? offer(tx, content) : keepers.needed(tx, content)
      if (content.reason === 'recovered') {
        // The pack is lost, and these bytes are here again.
        await leavePackOf(ends, tx, content.id)
        return offer(tx, content)
      }
      const pack = await lockLiveContent(tx, packId)
      if (!pack) throw new Error(`content ${content.id} is a member of pack ${packId}, which is not live`)
      await keepers.needed(tx, await raiseTarget(tx, pack, { targetCopies: content.targetCopies, nowMs: clock.now() }))
    },
    async busyReason(read, contentId) {
      const packId = await packIdOf(read, contentId)
      if (packId === undefined) return keepers.busyReason(read, contentId)
      return (await isOnlyMember(read, packId)) ? keepers.busyReason(read, packId) : undefined
    },
    async releaseBucket(tx, bucketId) {
      // Packs that were written to replace others, and have no members yet.
      for (const packId of await packsOfBucket(tx, bucketId)) await endPack(ends, tx, packId)
      await keepers.releaseBucket(tx, bucketId)
    },
    async releaseContent(tx, contentId) {
      if ((await dropWaiting(tx, [contentId])) > 0) return []
      return (await leavePackOf(ends, tx, contentId)) ?? keepers.releaseContent(tx, contentId)
    },
  }
}
