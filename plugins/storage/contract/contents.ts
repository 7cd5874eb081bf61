/**
 * @recipe a keeper of copies, a source of bytes, a guard of cached bytes
 * Attach to storage with `copyKeepers`, `byteSources`, `releaseGuards` or `copyDefaults` (`plugins/storage/contract/contents.ts`), and
 * report changes with the service `contents` in the transaction that makes them. `plugins/storage/testing/vault-plugin.ts` is a complete
 * small example, `plugins/replication/attach.ts` the one in use. Members with a `tx` run inside the transaction of storage: they must not
 * wait for anything else.
 */
/**
 * Contents are the bytes that versions refer to. Other plugins keep copies of them: they attach here, and storage imports none of them.
 * Storage alone writes its rows. Everything called with a `tx` runs inside the transaction that changes the content.
 */
import { defineErrors, defineExtensionPoint, defineService, type Reader, type Tx } from '#kernel'
import type { Resolved, Uses } from '#kernel/system'
import type { ObjectVersion, OpenedObject } from './objects.ts'

export interface NeededContent {
  readonly id: number
  readonly bucketId: number
  readonly size: number
  readonly targetCopies: number
  readonly durableCopies: number
  readonly readableCopies: number
  /**
   * State of the content before the new version. `new`: not in the bucket. `raised`: had a lower target. `recovered`: was lost.
   * `unstored`: lacks copies. `stored`: has all its copies. `missed`: lacks copies, and the keeper was not attached at earlier starts.
   */
  readonly reason: 'new' | 'raised' | 'recovered' | 'unstored' | 'stored' | 'missed'
}

/** What a keeper has of a content. The holdings of all keepers are added up. */
export interface Holdings {
  /** Copies that count towards the minimum of durable copies (I-19). */
  readonly durableCopies: number
  /** Copies that can be read, durable or not (I-20). */
  readonly readableCopies: number
  /** `storing`: missing copies are being made. `failed`: they are not, until an operator intervenes. `none`: the keeper has nothing. */
  readonly progress: 'none' | 'storing' | 'failed'
}

export interface SeparatedCopies {
  readonly from: number
  readonly to: number
}

/**
 * Keeps copies of contents outside the cache. While a keeper of an earlier start is not attached, deleted contents and buckets keep their rows, and
 * the start that attaches it again calls `releaseContent`, `releaseBucket` and `needed` for what it missed, before the first task runs. They may be
 * called again for what the keeper knows.
 */
export interface CopyKeeper<U extends Uses = Uses> {
  /** Identifies the keeper at later starts. */
  readonly name: string
  readonly uses: U
  /** A new version refers to the content. Not called for a content that lost copies: the keeper knows that first. */
  needed?(services: Resolved<U>, tx: Tx, content: NeededContent): Promise<void>
  /** Holdings by content id; contents of which the keeper has nothing may be absent. Read after each `Contents.recount`. */
  holdings?(services: Resolved<U>, read: Reader, contentIds: readonly number[]): Promise<ReadonlyMap<number, Holdings>>
  /** Why the content cannot be released now; undefined when it can. */
  busyReason?(services: Resolved<U>, read: Reader, contentId: number): Promise<string | undefined>
  /**
   * When bytes last moved to a place for copies, in clock milliseconds; undefined before the first. While they move, an upload that waits
   * for room in the cache is not refused.
   */
  lastMovedMs?(services: Resolved<U>): number | undefined
  /** The last version was deleted. Starts to remove the copies, and returns the ids of the tasks that do it. */
  releaseContent?(services: Resolved<U>, tx: Tx, contentId: number): Promise<readonly number[]>
  /**
   * The bytes of each content `from` are stored in another way now. Moves its copies to the released content `to`, and starts to remove them
   * there. Called for contents that are not busy. Contents become members of packs only if every keeper has this.
   */
  separateCopies?(services: Resolved<U>, tx: Tx, moves: readonly SeparatedCopies[]): Promise<void>
  /** Whether a released content still has copies. While it has, its row is kept. */
  hasContent?(services: Resolved<U>, read: Reader, contentId: number): Promise<boolean>
  /** The row of a released content is about to be deleted: deletes the keeper's rows of it. */
  deleteContent?(services: Resolved<U>, tx: Tx, contentId: number): Promise<void>
  /** An empty bucket was deleted. Starts to end what the keeper has of it. The contents of the bucket were released before. */
  releaseBucket?(services: Resolved<U>, tx: Tx, bucketId: number): Promise<void>
  /** Whether the keeper has rows of a deleted bucket. While it has, the row of the bucket is kept. */
  hasBucket?(services: Resolved<U>, read: Reader, bucketId: number): Promise<boolean>
}

export const copyKeepers = defineExtensionPoint<CopyKeeper>('storage.copy-keepers')

export const defineCopyKeeper = <const U extends Uses>(keeper: CopyKeeper<U>): CopyKeeper => keeper

/**
 * Opens contents that are not cached. Sources are asked in plugin order. One opened object may fill the cache for all readers of a content,
 * and then outlives the request that opened it.
 */
export interface ByteSource<U extends Uses = Uses> {
  readonly name: string
  readonly uses: U
  /** Returns nothing when the source has no copy of the content. A read that fails throws `content_unavailable`. */
  open(services: Resolved<U>, version: ObjectVersion, contentId: number): Promise<OpenedObject | undefined>
}

export const byteSources = defineExtensionPoint<ByteSource>('storage.byte-sources')

export const defineByteSource = <const U extends Uses>(source: ByteSource<U>): ByteSource => source

/** May keep cached bytes that have enough copies. Called once for each entry that is about to be removed, so it must be fast. */
export interface ReleaseGuard<U extends Uses = Uses> {
  readonly name: string
  readonly uses: U
  mayRelease(services: Resolved<U>, tx: Tx, contentId: number): Promise<boolean>
}

export const releaseGuards = defineExtensionPoint<ReleaseGuard>('storage.release-guards')

export const defineReleaseGuard = <const U extends Uses>(guard: ReleaseGuard<U>): ReleaseGuard => guard

/** Number of copies of new buckets. With several contributions the greatest target is used; with none, 1 copy. */
export interface CopyDefaults<U extends Uses = Uses> {
  readonly name: string
  readonly uses: U
  read(services: Resolved<U>): {
    readonly defaultCopies: number
    /** Absent or 0: equal to the bucket's target. */
    readonly minimumDurableCopies?: number | undefined
  }
}

export const copyDefaults = defineExtensionPoint<CopyDefaults>('storage.copy-defaults')

export const defineCopyDefaults = <const U extends Uses>(defaults: CopyDefaults<U>): CopyDefaults => defaults

export interface ContentRecord {
  readonly bucketId: number
  readonly size: number
  /** Lower-case hex; null when not recorded. */
  readonly sha256: string | null
}

export interface ContentPlace {
  readonly isCached: boolean
  readonly readableCopies: number
}

export interface RaisedPage {
  readonly bucketId: number
  readonly copies: number
  readonly after: number
  readonly until: number
  readonly limit: number
}

interface RaisedTargets {
  readonly contents: number
  /** Added copies, and the bytes of them. */
  readonly copies: number
  readonly bytes: number
  /** Where the next page begins; undefined after the last one. */
  readonly next: number | undefined
}

/** Facts about contents, and reports of keepers, each inside the transaction that changed the keeper's rows. */
export interface Contents {
  find(read: Reader, contentId: number): Promise<ContentRecord | undefined>
  /** Where the bytes of contents are, according to their rows. */
  placesOf(read: Reader, contentIds: readonly number[]): Promise<ReadonlyMap<number, ContentPlace>>
  /** Keys below the prefix with a version of the content, in order, at most `limit`. */
  keysOf(read: Reader, contentId: number, range: { readonly prefix: string; readonly limit: number }): Promise<readonly string[]>
  /**
   * Counts the copies of all keepers again, and sets the states of the contents and whether their cached bytes may be removed (I-02).
   * Deletes released contents that no keeper holds. The number of statements does not grow with that of the contents: report changes together.
   */
  recount(tx: Tx, contentIds: readonly number[], nowMs: number): Promise<void>
  /** Deletes a released content that is not cached and that no keeper holds. */
  forgetIfReleased(tx: Tx, contentId: number): Promise<void>
  /** Deletes the row of a deleted bucket that has no contents and that no keeper holds. */
  forgetBucketIfReleased(tx: Tx, bucketId: number): Promise<void>
  /**
   * Raises the targets of contents of a bucket that are below `copies`, among the next `limit` with an id above `after`, up to `until`, and
   * tells the keepers. Contents that are lost are left out.
   */
  raiseTargets(tx: Tx, page: RaisedPage, nowMs: number): Promise<RaisedTargets>
  /** Missing copies are planned. Returns whether the content was `unstored`. */
  markStoring(tx: Tx, contentId: number, nowMs: number): Promise<boolean>
  /**
   * Many contents lost a copy: keeps their cached bytes and counts `copies` fewer of each, until they are recounted. For changes that are
   * too large to recount in one transaction.
   */
  subtractCopies(tx: Tx, contentIds: readonly number[], copies: 0 | 1): Promise<void>
  /** Keeps the cached bytes and ignores the copies until `confirmCopies`: the copies may have other bytes (I-30). */
  awaitProof(tx: Tx, contentId: number): Promise<void>
  confirmCopies(tx: Tx, contentId: number): Promise<void>
  /**
   * Makes a released content without versions, to which the keeper can move copies that have other bytes than the content. Returns its id.
   */
  createReleased(tx: Tx, contentId: number, nowMs: number): Promise<number>
}

export const contents = defineService<Contents>('storage.contents')

export const contentErrors = defineErrors({
  content_unavailable: { status: 503, message: 'The bytes are not in the cache and no provider serves them now. Try again later.' },
})
