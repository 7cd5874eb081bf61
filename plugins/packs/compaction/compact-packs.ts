import { randomBytes } from 'node:crypto'
import { defineProbe, done, type Outcome, SvcError, wait } from '#kernel'
import { type PlacedMember, packMembersMax } from '#plugins/storage'
import { footerBytes, headerBytes } from '../segment/segment-layout.ts'
import { writeSegment } from '../segment/segment-writer.ts'
import { type CompactablePack, decideCompaction } from './compaction-policy.ts'
import { compactable, findNextPack, forgetAsked, recordMoves } from './compaction-store.ts'
import { recordSealed } from './erasure-store.ts'
import { copiesWaitMs, finishMoves, type MoveDeps, roomWaitMs } from './finish-moves.ts'
import { readLiving } from './read-living.ts'

const written = defineProbe('packs.compact.written')

interface CompactDeps extends MoveDeps {
  /** Returns undefined while they cannot be read. */
  prices(): Promise<Parameters<typeof decideCompaction>[0]['prices']>
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
      if (!(await finishMoves(deps, bucket, next))) return wait('copies', clock.now() + copiesWaitMs)
      continue
    }
    const limits = await deps.limitsOf(bucket.bucketId)
    const chosen = decideCompaction({
      packs: await compactable(database.read, bucket.bucketId),
      prices: await deps.prices(),
      months: deps.months,
      bytesMax: limits.bytes - headerBytes - footerBytes,
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
        await recordSealed(tx, packId, members.length)
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
