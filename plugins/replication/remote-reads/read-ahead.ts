/** @walk read 15: fetches the next chunks of a pack whose members are read in order */
import type { ByteRange } from '#plugins/storage'
import { chunkRawBytes } from '../pieces/piece-size.ts'
import { nextOrder, type ReadAheadLimits } from './read-ahead-policy.ts'
import type { RecentChunks } from './recent-chunks.ts'
import type { ChunkLease } from './shared-chunks.ts'

interface ReadAheadDeps {
  readonly recent: RecentChunks
  readonly limits: ReadAheadLimits
}

interface ChunksOfPack {
  readonly lastPosition: number
  nameOf(position: number): string
  lengthOf(position: number): number
  /** Begins the fetch. Returns undefined when memory is short. */
  leaseAhead(position: number): ChunkLease | undefined
}

/** Position of the chunk with this byte. */
export const chunkAt = (byte: number): number => Math.floor(byte / chunkRawBytes)

/**
 * Call when the chunk of the last byte is kept. Chunks that were fetched ahead are kept while reads in order follow. The next ones are
 * fetched once for each chunk that the reads enter, so that a provider that fails is not asked with every read.
 */
export function readAhead({ recent, limits }: ReadAheadDeps, pack: ChunksOfPack, range: ByteRange): void {
  const [first, last] = [chunkAt(range.start), chunkAt(range.end)]
  const known = [last, first, first - 1].map((position) => recent.orderIn(pack.nameOf(position)))
  const order = nextOrder(known, { ...range, chunk: last }, limits)
  if (!order) return
  recent.setOrder(pack.nameOf(last), order)
  for (let position = last + 1; position <= Math.min(last + order.ahead, pack.lastPosition); position++) {
    const name = pack.nameOf(position)
    if (recent.prolong(name)) continue
    if (!order.isDue) return
    const isKept = recent.keepAhead({ name, length: pack.lengthOf(position), lease: () => pack.leaseAhead(position) })
    if (!isKept) return
  }
}
