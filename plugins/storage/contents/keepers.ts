/** @walk put 15: tells the keepers of copies, in the same transaction */
import type { Reader, Tx } from '#kernel'
import { unsettle } from '../catalog/contents/content-state-store.ts'
import type { CopyKeeper, Holdings, NeededContent, SeparatedCopies } from '../contract.ts'
import type { Attached } from './attached.ts'

export interface Keepers {
  names(): readonly string[]
  /** Whether a keeper of an earlier start is not attached: its copies are unknown. */
  isAnyAbsent(read: Reader): Promise<boolean>
  /** The calls that a keeper missed, to the attached keepers with these names. */
  only(names: readonly string[]): Pick<Keepers, 'needed' | 'releaseContent' | 'releaseBucket'>
  needed(tx: Tx, content: NeededContent): Promise<void>
  /** Sums of all keepers, for each of the contents. Progress: `storing` while one of them makes copies, else `failed` if one gave up. */
  holdings(read: Reader, contentIds: readonly number[]): Promise<ReadonlyMap<number, Holdings>>
  /** The first reason. */
  busyReason(read: Reader, contentId: number): Promise<string | undefined>
  /** The latest of all keepers; 0 before the first. */
  lastMovedMs(): number
  releaseContent(tx: Tx, contentId: number): Promise<readonly number[]>
  /** False while a keeper is absent. */
  canSeparate(read: Reader): Promise<boolean>
  separateCopies(tx: Tx, moves: readonly SeparatedCopies[]): Promise<void>
  /** True while a keeper is absent: it may have copies. */
  hasContent(read: Reader, contentId: number): Promise<boolean>
  deleteContent(tx: Tx, contentId: number): Promise<void>
  releaseBucket(tx: Tx, bucketId: number): Promise<void>
  /** True while a keeper is absent: it may have rows. */
  hasBucket(read: Reader, bucketId: number): Promise<boolean>
}

const nothing: Holdings = { durableCopies: 0, readableCopies: 0, progress: 'none' }

/** `known`: names of all keepers that were ever attached. */
export function createKeepers(
  attached: () => readonly Attached<CopyKeeper>[],
  known: (read: Reader) => Promise<readonly string[]> = async () => [],
): Keepers {
  let absent: boolean | undefined
  const names = () => attached().map(({ item }) => item.name)
  async function isAnyAbsent(read: Reader): Promise<boolean> {
    if (absent === undefined) {
      const present = new Set(names())
      absent = (await known(read)).some((name) => !present.has(name))
    }
    return absent
  }
  return {
    names,
    isAnyAbsent,
    only: (chosen) => createKeepers(() => attached().filter(({ item }) => chosen.includes(item.name))),
    async needed(tx, content) {
      if (await isAnyAbsent(tx)) await unsettle(tx, content.id)
      for (const { item, services } of attached()) await item.needed?.(services, tx, content)
    },
    async holdings(read, contentIds) {
      const sums = new Map(contentIds.map((contentId) => [contentId, nothing]))
      for (const { item, services } of attached()) {
        const held = await item.holdings?.(services, read, contentIds)
        for (const [contentId, sum] of sums) sums.set(contentId, addHoldings(sum, held?.get(contentId) ?? nothing))
      }
      return sums
    },
    async busyReason(read, contentId) {
      for (const { item, services } of attached()) {
        const reason = await item.busyReason?.(services, read, contentId)
        if (reason !== undefined) return reason
      }
      return undefined
    },
    lastMovedMs: () => Math.max(0, ...attached().map(({ item, services }) => item.lastMovedMs?.(services) ?? 0)),
    async releaseContent(tx, contentId) {
      const taskIds: number[] = []
      for (const { item, services } of attached()) taskIds.push(...((await item.releaseContent?.(services, tx, contentId)) ?? []))
      return taskIds
    },
    async canSeparate(read) {
      return !(await isAnyAbsent(read)) && attached().every(({ item }) => item.separateCopies !== undefined)
    },
    async separateCopies(tx, moves) {
      for (const { item, services } of attached()) await item.separateCopies?.(services, tx, moves)
    },
    async hasContent(read, contentId) {
      if (await isAnyAbsent(read)) return true
      for (const { item, services } of attached()) if (await item.hasContent?.(services, read, contentId)) return true
      return false
    },
    async deleteContent(tx, contentId) {
      for (const { item, services } of attached()) await item.deleteContent?.(services, tx, contentId)
    },
    async releaseBucket(tx, bucketId) {
      for (const { item, services } of attached()) await item.releaseBucket?.(services, tx, bucketId)
    },
    async hasBucket(read, bucketId) {
      if (await isAnyAbsent(read)) return true
      for (const { item, services } of attached()) if (await item.hasBucket?.(services, read, bucketId)) return true
      return false
    },
  }
}

const addHoldings = (a: Holdings, b: Holdings): Holdings => ({
  durableCopies: a.durableCopies + b.durableCopies,
  readableCopies: a.readableCopies + b.readableCopies,
  progress: [a, b].find(({ progress }) => progress === 'storing')?.progress ?? (a.progress === 'none' ? b.progress : a.progress),
})
