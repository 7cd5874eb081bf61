import { defineProbe, done, type Outcome, wait } from '#kernel'
import { footerBytes, headerBytes } from '../segment/segment-layout.ts'
import { type CompactablePack, decideCompaction } from './compaction-policy.ts'
import { compactable, findNextPack, forgetAsked } from './compaction-store.ts'
import { copiesWaitMs, finishMoves, type MoveDeps, type MovedBucket, roomWaitMs } from './finish-moves.ts'
import { readLiving, UnreadablePack } from './read-living.ts'
import { writeNextPack } from './write-next-pack.ts'

const written = defineProbe('packs.compact.written')

interface CompactDeps extends MoveDeps {
  /** Returns undefined while they cannot be read. */
  prices(): Promise<Parameters<typeof decideCompaction>[0]['prices']>
  readonly months: number
}

/** Packs that a run passes because they cannot be read: others are replaced without them. */
const unreadableMax = 8

/**
 * Replaces packs of a bucket by one without their dead bytes, when it pays. The new pack gets all its copies first; then the members move and the
 * old packs end, in one transaction. Its rows say how far it is, so that it can run again from its start after every step (I-09).
 */
export async function compactBucket(deps: CompactDeps, bucket: MovedBucket): Promise<Outcome> {
  const { database, clock, signal } = deps
  const unreadable = new Map<number, UnreadablePack>()
  for (;;) {
    signal.throwIfAborted()
    const next = await findNextPack(database.read, bucket.bucketId)
    if (next !== undefined) {
      if (!(await finishMoves(deps, bucket, next))) return wait('copies', clock.now() + copiesWaitMs)
      continue
    }
    const limits = await deps.limitsOf(bucket.bucketId)
    const chosen = decideCompaction({
      packs: (await compactable(database.read, bucket.bucketId)).filter(({ id }) => !unreadable.has(id)),
      prices: await deps.prices(),
      months: deps.months,
      bytesMax: limits.bytes - headerBytes - footerBytes,
      membersMax: limits.members,
    })
    if (chosen.length === 0) {
      for (const error of unreadable.values()) throw error
      return done()
    }
    const begun = await begin(deps, bucket, chosen).catch((error: unknown) => passUnreadable(error, unreadable))
    if (begun === 'full') return wait('cache', clock.now() + roomWaitMs)
    // All members of the chosen packs were deleted after they were chosen. The schedule looks for further packs.
    if (begun === 'empty') return done()
  }
}

/** Throws errors that are not about one pack, and that of the last one that a run passes. */
function passUnreadable(error: unknown, unreadable: Map<number, UnreadablePack>): 'unreadable' {
  if (!(error instanceof UnreadablePack) || unreadable.size === unreadableMax) throw error
  unreadable.set(error.packId, error)
  return 'unreadable'
}

/** Writes the new pack. */
async function begin(deps: CompactDeps, bucket: MovedBucket, chosen: readonly CompactablePack[]): ReturnType<typeof writeNextPack> {
  const packIds = chosen.map(({ id }) => id)
  const next = await writeNextPack(deps, bucket, {
    records: readLiving(deps, packIds),
    bytes: chosen.reduce((sum, pack) => sum + pack.livingBytes, 0),
    targetCopies: Math.max(...chosen.map((pack) => pack.targetCopies)),
    record: (tx) => forgetAsked(tx, packIds),
  })
  if (typeof next === 'string') return next
  await written()
  deps.log.info('pack written to replace others', { pack: next.packId, replaces: packIds, bucket: bucket.bucket, members: next.members })
  return next
}
