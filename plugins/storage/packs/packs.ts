import type { Cache } from '../cache/cache.ts'
import { lockLiveContent } from '../catalog/contents/live-content-store.ts'
import { cachedMembersOfLostPacks } from '../catalog/packs/pack-store.ts'
import { addWaiting, dropWaiting, listWaiting, nextWaitingBucket, sumWaiting } from '../catalog/packs/waiting-store.ts'
import type { Attached } from '../contents/attached.ts'
import type { Keepers } from '../contents/keepers.ts'
import { leavePackOf } from '../contents/leave-pack.ts'
import type { OpenedObject, PackCollector, Packs } from '../contract.ts'
import { type AdoptDeps, adoptContents } from './adopt-contents.ts'
import { type CreatePackDeps, createNextPack, createPack, needPack } from './create-pack.ts'
import { endLostPack, movePack } from './move-members.ts'

interface PacksDeps extends CreatePackDeps, AdoptDeps {
  readonly keepers: CreatePackDeps['keepers'] & AdoptDeps['keepers'] & Pick<Keepers, 'canSeparate'>
  readonly cache: CreatePackDeps['cache'] & Pick<Cache, 'evict' | 'stats'>
  /** Opens the bytes of a pack. */
  readonly openPack: (packId: number) => Promise<OpenedObject>
  /** Default: none. */
  readonly collectors?: () => readonly Attached<PackCollector>[]
}

export function createPacks(deps: PacksDeps): Packs {
  const { cache } = deps
  return {
    sumWaiting,
    listWaiting,
    nextWaitingBucket,
    async describeWait(read, bucketId) {
      const [collector] = deps.collectors?.() ?? []
      return collector?.item.describe?.(collector.services, read, bucketId)
    },
    async erasesWithinDays(read, bucketId) {
      const [collector] = deps.collectors?.() ?? []
      return collector?.item.erasesWithinDays?.(collector.services, read, bucketId)
    },
    freeBytes() {
      const { maxBytes, usedBytes, reservedBytes } = cache.stats()
      return Math.max(0, maxBytes - usedBytes - reservedBytes)
    },
    create: (pack) => createPack(deps, pack),
    createNext: (pack) => createNextPack(deps, pack),
    move: (tx, move) => movePack(deps, tx, move),
    endLost: (tx, packId) => endLostPack(deps, tx, packId),
    mayAdopt: (read) => deps.keepers.canSeparate(read),
    adopt: (tx, adopted) => adoptContents(deps, tx, adopted),
    open: (contentId) => deps.openPack(contentId),
    async giveToKeepers(tx, contentIds) {
      for (const contentId of contentIds) {
        if ((await dropWaiting(tx, [contentId])) > 0) await needPack(deps, tx, contentId)
      }
    },
    async waitAgain(tx, contentIds) {
      for (const contentId of await cachedMembersOfLostPacks(tx, contentIds)) {
        await leavePackOf(deps, tx, contentId)
        const content = await lockLiveContent(tx, contentId)
        if (!content) continue
        const { bucketId, size: length } = content
        await addWaiting(tx, { contentId, bucketId, length, nowMs: deps.clock.now() })
      }
    },
    async releaseFile(packId) {
      await cache.evict(packId)
    },
  }
}
