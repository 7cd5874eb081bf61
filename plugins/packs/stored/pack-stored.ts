import { randomBytes } from 'node:crypto'
import { defineProbe, done, type Outcome, SvcError, wait } from '#kernel'
import { type PlacedMember, packMembersMax } from '#plugins/storage'
import { findNextPack, recordMoves } from '../compaction/compaction-store.ts'
import { recordSealed } from '../compaction/erasure-store.ts'
import { copiesWaitMs, finishMoves, type MoveDeps, roomWaitMs } from '../compaction/finish-moves.ts'
import { footerBytes, headerBytes } from '../segment/segment-layout.ts'
import { writeSegment } from '../segment/segment-writer.ts'
import { readStored } from './read-stored.ts'
import { firstOfPack } from './stored-policy.ts'
import { advanceTo, countPacked, findAskedPacking, forgetAskedPacking, pageOfStored, type StoredContent } from './stored-store.ts'

const written = defineProbe('packs.stored.written')

const keeperWaitMs = 60_000

interface StoredDeps extends MoveDeps {
  /** Largest content that is packed. */
  readonly objectBytesMax: number
}

interface StoredBucket {
  readonly bucketId: number
  readonly bucket: string
}

/** No content of the page can be read now. */
class NothingReadable extends Error {}

/**
 * Packs contents of a bucket that are stored as pieces of their own, pack by pack. A pack gets all its copies first; then the contents become its
 * members, and their own copies are removed (I-02, I-20). Its rows say how far it is, so that it can run again from its start after every step (I-09).
 */
export async function packStored(deps: StoredDeps, bucket: StoredBucket): Promise<Outcome> {
  const { database, packs, clock, signal } = deps
  const { bucketId } = bucket
  const moves = { ...deps, onAdopted: countPacked }
  for (;;) {
    signal.throwIfAborted()
    const asked = await findAskedPacking(database.read, bucketId)
    if (!asked) return done()
    const message = `${asked.packed} of ${asked.contents} objects are packed`
    const next = await findNextPack(database.read, bucketId)
    if (next !== undefined) {
      if (!(await finishMoves(moves, bucket, next))) return wait('copies', clock.now() + copiesWaitMs, message)
      continue
    }
    if (!(await packs.mayAdopt(database.read))) return wait('keeper', clock.now() + keeperWaitMs, 'a plugin that keeps copies is disabled')
    const page = await nextPage(deps, bucketId, asked.after)
    if (page.length > 1) {
      if (await begin(deps, bucket, page)) continue
      return wait('cache', clock.now() + roomWaitMs, message)
    }
    // A pack of one content saves nothing.
    await deps.fence(database).write((tx) => forgetAskedPacking(tx, bucketId))
    return done()
  }
}

async function nextPage(deps: StoredDeps, bucketId: number, after: number): Promise<readonly StoredContent[]> {
  const limits = await deps.limitsOf(bucketId)
  const page = await pageOfStored(deps.database.read, {
    ...{ bucketId, after, bytesMax: deps.objectBytesMax },
    limit: Math.min(limits.members, packMembersMax),
  })
  return firstOfPack(page, limits.bytes - headerBytes - footerBytes)
}

/** Writes the pack of these contents. Returns false without room in the cache. */
async function begin(deps: StoredDeps, { bucketId, bucket }: StoredBucket, contents: readonly StoredContent[]): Promise<boolean> {
  const { database, packs, clock, log, signal, fence } = deps
  if (packs.freeBytes() / 2 < contents.reduce((sum, { size }) => sum + size, 0)) return false
  const members: PlacedMember[] = []
  const unreadable: number[] = []
  const after = contents.at(-1)?.contentId ?? 0
  const body = writeSegment({
    segmentId: randomBytes(16).toString('hex'),
    bucket,
    createdAtMs: clock.now(),
    records: readStored(deps, contents, (contentId) => void unreadable.push(contentId)),
    onRecord: (contentId, offset) => void members.push({ contentId, offset }),
  })
  const targetCopies = Math.max(...contents.map((content) => content.targetCopies))
  try {
    const packId = await packs.createNext({
      ...{ bucketId, body, targetCopies, signal, fence },
      async record(tx, packId) {
        if (members.length === 0) throw new NothingReadable()
        await recordMoves(tx, bucketId, packId, members)
        await recordSealed(tx, packId, members.length)
        await advanceTo(tx, { bucketId, after, leftOut: unreadable.length })
      },
    })
    await written()
    log.info('pack of stored objects written', { pack: packId, bucket, members: members.length })
  } catch (error) {
    if (error instanceof SvcError && (error.code === 'cache_full' || error.code === 'cache_busy')) return false
    if (!(error instanceof NothingReadable)) throw error
    await fence(database).write((tx) => advanceTo(tx, { bucketId, after, leftOut: unreadable.length }))
  }
  if (unreadable.length > 0)
    log.warn('stored objects cannot be read now; they stay pieces of their own', { contents: unreadable.length, bucket })
  return true
}
