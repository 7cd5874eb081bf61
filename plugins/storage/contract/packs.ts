/** Packs: contents that hold the bytes of several small contents, their members, so that these share one piece. */
import { type Database, defineExtensionPoint, defineService, type Reader, type Tx } from '#kernel'
import type { Resolved, Uses } from '#kernel/system'
import type { NeededContent } from './contents.ts'
import type { OpenedObject } from './objects.ts'

/** Most members of a pack: a change of its copies is a change of each, in one transaction. */
export const packMembersMax = 8192

/** Bytes before each member: the SHA-256 of its bytes. */
export const memberDigestBytes = 32

/**
 * Decides which contents wait for a pack instead of being given to the keepers of copies. At most one is used. When none is attached at a
 * start, the contents that wait are given to the keepers.
 */
export interface PackCollector<U extends Uses = Uses> {
  readonly name: string
  readonly uses: U
  /** Called in the transaction that adds a content without copies. */
  collects(services: Resolved<U>, tx: Tx, content: NeededContent): Promise<boolean>
  /** For how long the contents of the bucket wait, for an operator. */
  describe?(services: Resolved<U>, read: Reader, bucketId: number): Promise<string>
  /** Days within which the bytes of deleted members leave the packs of the bucket; undefined: when that pays. */
  erasesWithinDays?(services: Resolved<U>, read: Reader, bucketId: number): Promise<number | undefined>
}

export const packCollectors = defineExtensionPoint<PackCollector>('storage.pack-collectors')

export const definePackCollector = <const U extends Uses>(collector: PackCollector<U>): PackCollector => collector

/** Where the bytes of a member are. */
export interface PackRange {
  readonly packId: number
  readonly offset: number
  readonly length: number
  readonly packSize: number
  /** Lower-case hex. */
  readonly sha256: string
}

export interface WaitingMember {
  readonly contentId: number
  readonly length: number
  /** Lower-case hex. */
  readonly sha256: string
}

export interface WaitingSum {
  readonly contents: number
  readonly bytes: number
  /** When the first and the last of them began to wait; undefined without any. */
  readonly oldestMs: number | undefined
  readonly newestMs: number | undefined
}

/** A member in the bytes of a new pack. */
export interface PlacedMember {
  readonly contentId: number
  readonly offset: number
}

interface PackBytes {
  readonly bucketId: number
  /** Read once, in order. */
  readonly body: AsyncIterable<Uint8Array>
  /** Called in the transaction that makes the pack. */
  readonly record?: (tx: Tx, packId: number) => Promise<void>
  /** The database of a run of a task (I-06). Default: that of storage. */
  fence?(database: Database): Database
  readonly signal?: AbortSignal
}

export interface NewPack extends PackBytes {
  /** The members and their places. Called after the end of the body. Those that do not wait any longer are left out. */
  members(): readonly PlacedMember[]
}

/** A pack that has no members until `move`. */
export interface NextPack extends PackBytes {
  readonly targetCopies: number
}

/** Contents that become members of a pack, which has their bytes already. */
export interface PackMove {
  readonly packId: number
  /** Their places in it. Those that are no members of a pack any longer are left out. */
  readonly members: readonly PlacedMember[]
}

/** Packs of all buckets. Storage reads, counts and deletes their members; the plugin that collects contents makes the packs. */
export interface Packs {
  sumWaiting(read: Reader, bucketId: number): Promise<WaitingSum>
  /** Contents in order of their id. */
  listWaiting(
    read: Reader,
    range: { readonly bucketId: number; readonly after: number; readonly limit: number },
  ): Promise<readonly WaitingMember[]>
  /** The next bucket after this one in which contents wait. */
  nextWaitingBucket(read: Reader, after: number): Promise<number | undefined>
  /** For how long the contents of the bucket wait, in words for an operator; undefined when it is not known. */
  describeWait(read: Reader, bucketId: number): Promise<string | undefined>
  /** Days within which the bytes of deleted members leave the packs of the bucket; undefined: there is no such time. */
  erasesWithinDays(read: Reader, bucketId: number): Promise<number | undefined>
  /** Room in the cache for a new pack, in bytes. */
  freeBytes(): number
  /**
   * Writes a pack to the cache, and makes contents that wait its members, in one transaction. Returns its content id; undefined when none of
   * them waits any longer. Throws `cache_full` or `cache_busy` without room.
   */
  create(pack: NewPack): Promise<number | undefined>
  /** Writes a pack to the cache to which members of others can move. Returns its content id. Throws `cache_full` or `cache_busy` without room. */
  createNext(pack: NextPack): Promise<number>
  /**
   * Makes members of other packs those of a pack that has all its copies (I-20), and ends packs that have no members left, also this one.
   * Returns false when the pack lacks copies: then nothing moves, and missing copies are made.
   */
  move(tx: Tx, move: PackMove): Promise<boolean>
  /** Ends a pack that is lost before it had members: they are where they were. Returns false for other packs. */
  endLost(tx: Tx, packId: number): Promise<boolean>
  /** Whether `adopt` can be used: every keeper of copies is attached, and can separate copies from their content. */
  mayAdopt(read: Reader): Promise<boolean>
  /**
   * Makes contents with copies of their own members of a pack that has all its copies (I-20), and releases these copies (I-02). Contents that
   * wait for a pack, are members or were deleted are left out. Returns false when one of them is busy, or the pack lacks copies: then nothing
   * changes, and missing copies are made. About 5 statements for each content: call it with pages.
   */
  adopt(tx: Tx, adopted: PackMove): Promise<boolean>
  /** Opens the bytes of a pack or of another content, from the cache or a provider. Throws `content_unavailable`. */
  open(contentId: number): Promise<OpenedObject>
  /** The contents wait no longer: the keepers of copies get them. */
  giveToKeepers(tx: Tx, contentIds: readonly number[]): Promise<void>
  /** Members of lost packs that are cached wait for another pack. Others stay members. */
  waitAgain(tx: Tx, contentIds: readonly number[]): Promise<void>
  /** Removes the cached file of a pack that has all its copies: its members are cached by themselves. */
  releaseFile(packId: number): Promise<void>
}

export const packs = defineService<Packs>('storage.packs')
