import { defineProbe, done, type Outcome, type Tx, wait } from '#kernel'
import { findNextPack } from '../compaction/compaction-store.ts'
import { copiesWaitMs, finishMoves, type MoveDeps, type MovedBucket, roomWaitMs } from '../compaction/finish-moves.ts'
import { writeNextPack } from '../compaction/write-next-pack.ts'
import { footerBytes, headerBytes } from '../segment/segment-layout.ts'
import { readStored } from './read-stored.ts'
import { firstOfPack } from './stored-policy.ts'
import { advanceTo, findAskedPacking, forgetAskedPacking, pageOfStored, type StoredContent } from './stored-store.ts'

const written = defineProbe('packs.stored.written')

const keeperWaitMs = 60_000

interface StoredDeps extends MoveDeps {
  /** Largest content that is packed. */
  readonly objectBytesMax: number
}

/**
 * Packs contents of a bucket that are stored as pieces of their own, pack by pack. A pack gets all its copies first; then the contents become its
 * members, and their own copies are removed (I-02, I-20). Its rows say how far it is, so that it can run again from its start after every step (I-09).
 */
export async function packStored(deps: StoredDeps, bucket: MovedBucket): Promise<Outcome> {
  const { database, packs, clock, signal } = deps
  const { bucketId } = bucket
  for (;;) {
    signal.throwIfAborted()
    const asked = await findAskedPacking(database.read, bucketId)
    if (!asked) return done()
    const message = `${asked.packed} of ${asked.contents} objects are packed`
    const next = await findNextPack(database.read, bucketId)
    if (next !== undefined) {
      if (!(await finishMoves(deps, bucket, next))) return wait('copies', clock.now() + copiesWaitMs, message)
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
    limit: limits.members,
  })
  return firstOfPack(page, limits.bytes - headerBytes - footerBytes)
}

/** Writes the pack of these contents. Returns false without room in the cache. */
async function begin(deps: StoredDeps, place: MovedBucket, contents: readonly StoredContent[]): Promise<boolean> {
  const { database, log, fence } = deps
  const { bucketId, bucket } = place
  const unreadable: number[] = []
  const after = contents.at(-1)?.contentId ?? 0
  const advance = (tx: Tx) => advanceTo(tx, { bucketId, after, leftOut: unreadable.length })
  const next = await writeNextPack(deps, place, {
    records: readStored(deps, contents, (contentId) => void unreadable.push(contentId)),
    bytes: contents.reduce((sum, { size }) => sum + size, 0),
    targetCopies: Math.max(...contents.map((content) => content.targetCopies)),
    record: advance,
  })
  if (next === 'full') return false
  if (next === 'empty') await fence(database).write(advance)
  else {
    await written()
    log.info('pack of stored objects written', { pack: next.packId, bucket, members: next.members })
  }
  if (unreadable.length > 0)
    log.warn('stored objects cannot be read now; they stay pieces of their own', { contents: unreadable.length, bucket })
  return true
}
