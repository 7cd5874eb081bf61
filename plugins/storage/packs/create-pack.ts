import type { Database, Tx } from '#kernel'
import type { Cache } from '../cache/cache.ts'
import { lockLiveContent } from '../catalog/contents/live-content-store.ts'
import { addPack, addWaitingMembers } from '../catalog/packs/pack-store.ts'
import { dropWaiting } from '../catalog/packs/waiting-store.ts'
import { attachBytes } from '../catalog/references/attach-bytes.ts'
import type { Keepers } from '../contents/keepers.ts'
import type { PackEndDeps } from '../contents/leave-pack.ts'
import type { NewPack, NextPack, PlacedMember } from '../contract.ts'
import { commitBytes } from '../objects/commit-put.ts'
import { packProbes } from './pack-probes.ts'

export interface CreatePackDeps extends PackEndDeps {
  readonly database: Database
  readonly cache: Pick<Cache, 'reserveArriving' | 'write' | 'discard'>
  /** The keepers that make copies, which are not asked whether the pack waits for a pack. */
  readonly keepers: Pick<Keepers, 'needed' | 'releaseContent'>
}

/** All members were deleted during the write. */
class NoMembers extends Error {}

/** Makes contents that wait members of a new pack. Undefined when none of them waits any longer. */
export async function createPack(deps: CreatePackDeps, { members, ...pack }: NewPack): Promise<number | undefined> {
  try {
    // The members raise the target.
    return await writePack(deps, { ...pack, targetCopies: 1 }, (tx, packId) => addMembers(tx, packId, members()))
  } catch (error) {
    if (error instanceof NoMembers) return undefined
    throw error
  }
}

export const createNextPack = (deps: CreatePackDeps, pack: NextPack): Promise<number> => writePack(deps, pack, async () => {})

/**
 * Writes the file, then makes the content, its hold and its members in one transaction, which also ends the waiting of the members. A crash
 * before it leaves a file without a row, which the next start sweeps (I-03).
 */
async function writePack(
  deps: CreatePackDeps,
  { bucketId, body, targetCopies, record, signal, fence = (own) => own }: NextPack,
  fill: (tx: Tx, packId: number) => Promise<void>,
): Promise<number> {
  const { cache, clock } = deps
  using reservation = await cache.reserveArriving({})
  const blob = await cache.write({ body, onBytes: (total) => reservation.cover(total), onEnd: () => {}, signal, probes: packProbes })
  const nowMs = clock.now()
  const { packId } = await commitBytes({ database: fence(deps.database), cache }, { blob, reservation }, async (tx) => {
    const bucket = { id: bucketId, defaultCopies: targetCopies }
    const { content, ...placed } = await attachBytes(tx, { bucket, size: blob.size, sha256: blob.sha256, blob, nowMs, isHold: true })
    const packId = content.id
    await addPack(tx, { packId, bucketId, nowMs })
    await fill(tx, packId)
    await needPack(deps, tx, packId)
    await record?.(tx, packId)
    return { ...placed, packId }
  })
  await packProbes.committed()
  return packId
}

async function addMembers(tx: Tx, packId: number, members: readonly PlacedMember[]): Promise<void> {
  if ((await addWaitingMembers(tx, packId, members)) === 0) throw new NoMembers()
  const contentIds = members.map(({ contentId }) => contentId)
  await dropWaiting(tx, contentIds)
}

/** The keepers make copies of a content that is not packed, such as a pack. */
export async function needPack({ keepers }: Pick<CreatePackDeps, 'keepers'>, tx: Tx, contentId: number): Promise<void> {
  const content = await lockLiveContent(tx, contentId)
  if (content) await keepers.needed(tx, { ...content, reason: 'new' })
}
