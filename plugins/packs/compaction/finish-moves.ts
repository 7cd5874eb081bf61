import { type Clock, type Database, defineProbe, type Log } from '#kernel'
import type { Packs } from '#plugins/storage'
import type { SealLimits } from '../sealing/seal-policy.ts'
import { countPacked, forgetMoves, forgetMovesOf, movesOfAlone, movesTo, targetOf } from './compaction-store.ts'

const moved = defineProbe('packs.compact.moved')
const adopted = defineProbe('packs.stored.adopted')

export const copiesWaitMs = 10_000
export const roomWaitMs = 300_000

/** Contents with pieces of their own that one transaction makes members. */
const adoptedPerPage = 100

export interface MoveDeps {
  readonly database: Database
  readonly packs: Packs
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
  fence(database: Database): Database
  limitsOf(bucketId: number): Promise<SealLimits>
  /** Copies of a content that no reorganisation reverts. */
  finalCopies(contentId: number): Promise<number>
}

export interface MovedBucket {
  readonly bucketId: number
  readonly bucket: string
}

/** Moves the recorded members when the new pack has all its copies, and no reorganisation reverts them. Returns whether nothing is left to move. */
export async function finishMoves(deps: MoveDeps, { bucketId, bucket }: MovedBucket, packId: number): Promise<boolean> {
  const { database, packs, log, fence } = deps
  const target = await targetOf(database.read, packId)
  if (target === undefined) {
    // Its bucket was deleted, or all that it has.
    await fence(database).write((tx) => forgetMoves(tx, bucketId, packId))
    return true
  }
  // Its file was damaged before a provider had it: the members are read again where they are, and written to another pack.
  if (target.isLost && (await giveUp(deps, bucketId, packId))) return true
  if ((await deps.finalCopies(packId)) < target.targetCopies || !(await adoptAll(deps, bucketId, packId))) return false
  const members = await movesTo(database.read, bucketId, packId)
  const isMoved = await fence(database).write(
    async (tx) => {
      if (!(await packs.move(tx, { packId, members }))) return false
      await forgetMoves(tx, bucketId, packId)
      return true
    },
    { rows: members.length },
  )
  if (!isMoved) return false
  await moved()
  log.info('members moved to another pack', { pack: packId, bucket, members: members.length })
  return true
}

async function giveUp({ database, packs, fence, log }: MoveDeps, bucketId: number, packId: number): Promise<boolean> {
  const isEnded = await fence(database).write(async (tx) => {
    if (!(await packs.endLost(tx, packId))) return false
    await forgetMoves(tx, bucketId, packId)
    return true
  })
  if (isEnded) log.warn('a pack was lost before it had members; they stay where they are', { pack: packId })
  return isEnded
}

/** Contents with pieces of their own become members page by page. */
async function adoptAll(deps: MoveDeps, bucketId: number, packId: number): Promise<boolean> {
  const { database, packs, fence, signal } = deps
  for (;;) {
    signal.throwIfAborted()
    const members = await movesOfAlone(database.read, { bucketId, packId, limit: adoptedPerPage })
    if (members.length === 0) return true
    const contentIds = members.map(({ contentId }) => contentId)
    const isAdopted = await fence(database).write(
      async (tx) => {
        if (!(await packs.adopt(tx, { packId, members }))) return false
        await countPacked(tx, bucketId, await forgetMovesOf(tx, contentIds))
        return true
      },
      { rows: members.length * 5 },
    )
    if (!isAdopted) return false
    await adopted()
  }
}
