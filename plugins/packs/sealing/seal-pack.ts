import { randomBytes } from 'node:crypto'
import { type Clock, type Database, defineProbe, done, type Log, type Outcome, wait } from '#kernel'
import { type CachedContents, type CacheGauge, isNoRoom, type Packs, type PlacedMember, type WaitingSum } from '#plugins/storage'
import { recordSealed } from '../compaction/erasure-store.ts'
import { findPacking, setSealAsked } from '../policies/packing-store.ts'
import { memberOverheadBytes } from '../segment/overhead-policy.ts'
import { footerBytes, headerBytes } from '../segment/segment-layout.ts'
import { writeSegment } from '../segment/segment-writer.ts'
import { readMembers } from './read-members.ts'
import { decideSeal, type SealLimits } from './seal-policy.ts'

const sealed = defineProbe('packs.sealed')
const handedOver = defineProbe('packs.handed-over')

/** Below this room in the cache, contents are pieces of their own, so that they can leave it. */
const packBytesMin = 64 * 1024
/** Contents that become pieces of their own at a time. */
const handedOverMax = 100
const fullWaitMs = 5000
/** After this time other buckets have their turn: a client that stores without pause must not keep their objects in the cache. */
export const turnMs = 30_000

interface SealDeps {
  readonly database: Database
  readonly packs: Packs
  readonly cached: CachedContents
  readonly gauge: CacheGauge
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
  fence(database: Database): Database
  /** Limits of a pack of this bucket now. */
  limitsOf(bucketId: number): Promise<SealLimits>
}

interface SealedBucket {
  readonly bucketId: number
  readonly bucket: string
}

/** Seals the contents of a bucket that wait, pack by pack, as long as one is due. Run again from its start after a crash: what is sealed does not wait. */
export async function sealBucket(deps: SealDeps, sealing: SealedBucket): Promise<Outcome> {
  const { database, packs, clock, signal } = deps
  const { bucketId } = sealing
  const turnEndMs = clock.now() + turnMs
  const isAskedFor = askedSeals(deps, bucketId)
  for (;;) {
    signal.throwIfAborted()
    if (clock.now() >= turnEndMs) return wait('pack', clock.now())
    const limits = await deps.limitsOf(bucketId)
    const sum = await packs.sumWaiting(database.read, bucketId)
    const isAsked = await isAskedFor(sum)
    const verdict = decideSeal({ sum, limits, nowMs: clock.now(), isPressed: isPressed(deps), isAsked })
    if (verdict.kind === 'nothing') return done()
    if (verdict.kind === 'wait') return wait('pack', verdict.untilMs)
    const bytesMax = Math.min(limits.bytes, Math.floor(packs.freeBytes() / 2)) - headerBytes - footerBytes
    const isRoom = bytesMax >= packBytesMin && (await sealOne(deps, sealing, { ...limits, bytes: bytesMax }))
    if (isRoom) continue
    // The cache is full of contents that have no copies: without room for a pack they are stored one by one.
    await handOver(deps, bucketId)
    return wait('cache', clock.now() + fullWaitMs)
  }
}

/** Tells whether contents wait that an operator asked to seal. Those that arrive later were not asked for: each would be a pack of its own. */
function askedSeals({ database, clock, fence }: SealDeps, bucketId: number): (sum: WaitingSum) => Promise<boolean> {
  /** When this run saw the request. */
  let askedMs: number | undefined
  return async ({ oldestMs = Number.POSITIVE_INFINITY }) => {
    const isOpen = (await findPacking(database.read, bucketId))?.isSealAsked ?? false
    if (isOpen) askedMs ??= clock.now()
    const isAsked = askedMs !== undefined && oldestMs <= askedMs
    if (isOpen && !isAsked) await fence(database).write((tx) => setSealAsked(tx, bucketId, false))
    return isAsked
  }
}

function isPressed({ gauge }: Pick<SealDeps, 'gauge'>): boolean {
  const { usedBytes, reservedBytes, maxBytes, highWatermarkBytes = maxBytes * 0.9 } = gauge.stats()
  return usedBytes + reservedBytes >= highWatermarkBytes
}

/** Returns false when the cache has no room. */
async function sealOne(deps: SealDeps, { bucketId, bucket }: SealedBucket, limits: SealLimits): Promise<boolean> {
  const { packs, clock, log, signal } = deps
  const members: PlacedMember[] = []
  const unreadable: number[] = []
  const records = readMembers(deps, {
    bucketId,
    bytesMax: limits.bytes,
    membersMax: limits.members,
    memberOverheadBytes,
    onUnreadable: (contentId) => void unreadable.push(contentId),
  })
  const segment = {
    segmentId: randomBytes(16).toString('hex'),
    bucket,
    createdAtMs: clock.now(),
    records,
    onRecord: (contentId: number, offset: number) => void members.push({ contentId, offset }),
  }
  let packId: number | undefined
  try {
    packId = await packs.create({
      ...{ bucketId, body: writeSegment(segment), members: () => members, signal, fence: deps.fence },
      record: (tx, packId) => recordSealed(tx, packId, members.length),
    })
  } catch (error) {
    if (isNoRoom(error)) return false
    throw error
  }
  await sealed()
  if (packId !== undefined) log.info('pack sealed', { pack: packId, bucket, members: members.length })
  if (unreadable.length > 0) {
    log.warn('cached bytes of contents that wait for a pack cannot be read; each is stored alone', { contents: unreadable })
    await deps.fence(deps.database).write((tx) => packs.giveToKeepers(tx, unreadable), { rows: unreadable.length })
  }
  // Nothing was read: the first content does not fit into the room.
  return members.length + unreadable.length > 0
}

async function handOver({ database, packs, fence, log }: SealDeps, bucketId: number): Promise<void> {
  const page = await packs.listWaiting(database.read, { bucketId, after: 0, limit: handedOverMax })
  const contentIds = page.map(({ contentId }) => contentId)
  if (contentIds.length === 0) return
  await fence(database).write((tx) => packs.giveToKeepers(tx, contentIds), { rows: contentIds.length })
  await handedOver()
  log.warn('the cache has no room for a pack; contents are stored alone; raise cache.max_size_gb', { contents: contentIds.length })
}
