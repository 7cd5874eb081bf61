import type { Attached } from '../contents/attached.ts'
import { type CopyKeeper, defineCopyKeeper, type NeededContent } from '../contract.ts'

/** A keeper whose copies are numbers in memory. */
export interface TestKeeper extends Attached<CopyKeeper> {
  /** Copies by content id. */
  readonly copies: Map<number, number>
  /** Contents that cannot be released. */
  readonly busy: Set<number>
  readonly needed: NeededContent[]
  /** Contents released, each by a task with the id of the content times 100. */
  readonly released: number[]
  readonly deleted: number[]
  /** Buckets released, and those of which the keeper has something. */
  readonly releasedBuckets: number[]
  readonly heldBuckets: Set<number>
}

export function createTestKeeper(): TestKeeper {
  const copies = new Map<number, number>()
  const busy = new Set<number>()
  const heldBuckets = new Set<number>()
  const [needed, released, deleted, releasedBuckets]: [NeededContent[], number[], number[], number[]] = [[], [], [], []]
  const item = defineCopyKeeper({
    name: 'test',
    uses: {},
    needed: async (_services, _tx, content) => void needed.push(content),
    async holdings(_services, _read, contentIds) {
      return new Map(
        contentIds.map((contentId) => {
          const count = copies.get(contentId) ?? 0
          return [contentId, { durableCopies: count, readableCopies: count, progress: count > 0 ? 'storing' : 'none' }]
        }),
      )
    },
    busyReason: async (_services, _read, contentId) => (busy.has(contentId) ? 'the test keeps it busy' : undefined),
    async releaseContent(_services, _tx, contentId) {
      if (!copies.has(contentId)) return []
      released.push(contentId)
      return [contentId * 100]
    },
    async separateCopies(_services, _tx, moves) {
      for (const { from, to } of moves) {
        const count = copies.get(from)
        copies.delete(from)
        if (count === undefined) continue
        copies.set(to, count)
        released.push(to)
      }
    },
    hasContent: async (_services, _read, contentId) => copies.has(contentId),
    deleteContent: async (_services, _tx, contentId) => void deleted.push(contentId),
    releaseBucket: async (_services, _tx, bucketId) => void releasedBuckets.push(bucketId),
    hasBucket: async (_services, _read, bucketId) => heldBuckets.has(bucketId),
  })
  return { item, services: {}, copies, busy, needed, released, deleted, releasedBuckets, heldBuckets }
}
