import { randomBytes } from 'node:crypto'
import { type Clock, type Database, defineProbe, done, type Log, type Outcome, SvcError, wait } from '#kernel'
import { type Packs, type PlacedMember, packMembersMax } from '#plugins/storage'
import type { SealLimits } from '../sealing/seal-policy.ts'
import { writeSegment } from '../segment/segment-writer.ts'
import { type CompactablePack, decideCompaction } from './compaction-policy.ts'
import { compactable, findNextPack, forgetAsked, forgetMoves, movesTo, recordMoves, targetOf } from './compaction-store.ts'
import { readLiving } from './read-living.ts'

const written = defineProbe('packs.compact.written')
const moved = defineProbe('packs.compact.moved')

const copiesWaitMs = 10_000
const roomWaitMs = 300_000

interface CompactDeps {
  readonly database: Database
  readonly packs: Packs
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
  fence(database: Database): Database
  limitsOf(bucketId: number): Promise<SealLimits>
  /** Returns undefined while they cannot be read. */
  prices(): Promise<Parameters<typeof decideCompaction>[0]['prices']>
  /** Copies of a content that no reorganisation reverts. */
  finalCopies(contentId: number): Promise<number>
  readonly months: number
}

interface CompactedBucket {
  readonly bucketId: number
  readonly bucket: string
}

/**
 * Replaces packs of a bucket by one without their dead bytes, when it pays. The new pack gets all its copies first; then the members move and the
 * old packs end, in one transaction. Its rows say how far it is, so that it can run again from its start after every step (I-09).
 */
export async function compactBucket(deps: CompactDeps, bucket: CompactedBucket): Promise<Outcome> {
  const { database, clock, signal } = deps
  for (;;) {
    signal.throwIfAborted()
    const next = await findNextPack(database.read, bucket.bucketId)
    if (next !== undefined) {
      if (!(await finish(deps, bucket, next))) return wait('copies', clock.now() + copiesWaitMs)
      continue
    }
    const limits = await deps.limitsOf(bucket.bucketId)
    const chosen = decideCompaction({
      packs: await compactable(database.read, bucket.bucketId),
      prices: await deps.prices(),
      months: deps.months,
      bytesMax: limits.bytes,
      membersMax: Math.min(limits.members, packMembersMax),
    })
    if (chosen.length === 0) return done()
    if (!(await begin(deps, bucket, chosen))) return wait('cache', clock.now() + roomWaitMs)
  }
}

/** Writes the new pack. Returns false without room in the cache. */
async function begin(deps: CompactDeps, { bucketId, bucket }: CompactedBucket, chosen: readonly CompactablePack[]): Promise<boolean> {
  const { packs, clock, log, signal, fence } = deps
  const livingBytes = chosen.reduce((sum, pack) => sum + pack.livingBytes, 0)
  if (packs.freeBytes() / 2 < livingBytes) return false
  const members: PlacedMember[] = []
  const packIds = chosen.map(({ id }) => id)
  const body = writeSegment({
    segmentId: randomBytes(16).toString('hex'),
    bucket,
    createdAtMs: clock.now(),
    records: readLiving(deps, packIds),
    onRecord: (contentId, offset) => void members.push({ contentId, offset }),
  })
  const targetCopies = Math.max(...chosen.map((pack) => pack.targetCopies))
  try {
    const packId = await packs.createNext({
      ...{ bucketId, body, targetCopies, signal, fence },
      record: async (tx, packId) => {
        await recordMoves(tx, bucketId, packId, members)
        await forgetAsked(tx, packIds)
      },
    })
    await written()
    log.info('pack written to replace others', { pack: packId, replaces: packIds, bucket, members: members.length })
    return true
  } catch (error) {
    if (error instanceof SvcError && (error.code === 'cache_full' || error.code === 'cache_busy')) return false
    throw error
  }
}

/** Moves the members when the new pack has all its copies, and no reorganisation reverts them. Returns whether it did. */
async function finish(deps: CompactDeps, { bucketId, bucket }: CompactedBucket, packId: number): Promise<boolean> {
  const { database, packs, log, fence } = deps
  const members = await movesTo(database.read, bucketId, packId)
  const target = await targetOf(database.read, packId)
  if (target === undefined) {
    // Its bucket was deleted.
    await fence(database).write((tx) => forgetMoves(tx, bucketId, packId))
    return true
  }
  if ((await deps.finalCopies(packId)) < target) return false
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
