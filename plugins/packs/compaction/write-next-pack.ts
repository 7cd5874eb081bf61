import { randomBytes } from 'node:crypto'
import type { Tx } from '#kernel'
import { isNoRoom, type PlacedMember } from '#plugins/storage'
import { type NewRecord, writeSegment } from '../segment/segment-writer.ts'
import { recordMoves } from './compaction-store.ts'
import { recordSealed } from './erasure-store.ts'
import type { MoveDeps, MovedBucket } from './finish-moves.ts'

interface NextPack {
  readonly records: AsyncIterable<NewRecord>
  /** Bytes of the records, about. */
  readonly bytes: number
  readonly targetCopies: number
  /** Called in the transaction that makes the pack. */
  record(tx: Tx): Promise<void>
}

interface WrittenPack {
  readonly packId: number
  readonly members: number
}

/** There are no records: a pack without members would be paid for nothing. */
class NoRecords extends Error {}

/** Writes a pack to which the contents of its records move when it has all its copies. `full`: the cache has no room for it; `empty`: there are no records. */
export async function writeNextPack(
  { packs, clock, signal, fence }: Pick<MoveDeps, 'packs' | 'clock' | 'signal' | 'fence'>,
  { bucketId, bucket }: MovedBucket,
  { records, bytes, targetCopies, record }: NextPack,
): Promise<WrittenPack | 'full' | 'empty'> {
  if (packs.freeBytes() / 2 < bytes) return 'full'
  const members: PlacedMember[] = []
  const body = writeSegment({
    segmentId: randomBytes(16).toString('hex'),
    bucket,
    createdAtMs: clock.now(),
    records,
    onRecord: (contentId, offset) => void members.push({ contentId, offset }),
  })
  try {
    const packId = await packs.createNext({
      ...{ bucketId, body, targetCopies, signal, fence },
      async record(tx, packId) {
        if (members.length === 0) throw new NoRecords()
        await recordMoves(tx, bucketId, packId, members)
        await recordSealed(tx, packId, members.length)
        await record(tx)
      },
    })
    return { packId, members: members.length }
  } catch (error) {
    if (isNoRoom(error)) return 'full'
    if (error instanceof NoRecords) return 'empty'
    throw error
  }
}
