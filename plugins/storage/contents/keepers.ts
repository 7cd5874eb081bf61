import type { Reader, Tx } from '#kernel'
import { unsettle } from '../catalog/content-state-store.ts'
import type { CopyKeeper, Holdings, NeededContent } from '../contract.ts'
import type { Attached } from './attached.ts'

/** All keepers of copies as one. */
export interface Keepers {
  names(): readonly string[]
  /** Whether a keeper of an earlier start is not attached: nobody can tell which copies it has. */
  isAnyAbsent(read: Reader): boolean
  /** The calls that a keeper missed, to the attached keepers with these names. */
  only(names: readonly string[]): Pick<Keepers, 'needed' | 'givenUp'>
  needed(tx: Tx, content: NeededContent): void
  /** Sums of all keepers. Progress: `storing` while one of them makes copies, else `failed` if one gave up. */
  holdings(read: Reader, contentId: number): Holdings
  /** The first reason. */
  busyReason(read: Reader, contentId: number): string | undefined
  givenUp(tx: Tx, contentId: number): readonly number[]
  /** True while a keeper is absent: it may have copies. */
  isHeld(read: Reader, contentId: number): boolean
  forgotten(tx: Tx, contentId: number): void
}

const nothing: Holdings = { durableCopies: 0, readableCopies: 0, progress: 'none' }

/** `known`: names of all keepers that were ever attached. */
export function createKeepers(
  attached: () => readonly Attached<CopyKeeper>[],
  known: (read: Reader) => readonly string[] = () => [],
): Keepers {
  let absent: boolean | undefined
  const names = () => attached().map(({ item }) => item.name)
  function isAnyAbsent(read: Reader): boolean {
    if (absent === undefined) {
      const present = new Set(names())
      absent = known(read).some((name) => !present.has(name))
    }
    return absent
  }
  return {
    names,
    isAnyAbsent,
    only: (chosen) => createKeepers(() => attached().filter(({ item }) => chosen.includes(item.name))),
    needed(tx, content) {
      if (isAnyAbsent(tx)) unsettle(tx, content.id)
      for (const { item, services } of attached()) item.needed?.(services as never, tx, content)
    },
    holdings: (read, contentId) =>
      attached()
        .map(({ item, services }) => item.holdings?.(services as never, read, contentId) ?? nothing)
        .reduce(addHoldings, nothing),
    busyReason(read, contentId) {
      for (const { item, services } of attached()) {
        const reason = item.busyReason?.(services as never, read, contentId)
        if (reason !== undefined) return reason
      }
      return undefined
    },
    givenUp: (tx, contentId) => attached().flatMap(({ item, services }) => item.givenUp?.(services as never, tx, contentId) ?? []),
    isHeld: (read, contentId) =>
      isAnyAbsent(read) || attached().some(({ item, services }) => item.isHeld?.(services as never, read, contentId) ?? false),
    forgotten(tx, contentId) {
      for (const { item, services } of attached()) item.forgotten?.(services as never, tx, contentId)
    },
  }
}

const addHoldings = (a: Holdings, b: Holdings): Holdings => ({
  durableCopies: a.durableCopies + b.durableCopies,
  readableCopies: a.readableCopies + b.readableCopies,
  progress: [a, b].find(({ progress }) => progress === 'storing')?.progress ?? (a.progress === 'none' ? b.progress : a.progress),
})
