import type { Clock, Tx } from '#kernel'
import { endEmptyPack, leavePack } from '../catalog/packs/pack-store.ts'
import type { Keepers } from './keepers.ts'

export interface PackEndDeps {
  readonly clock: Clock
  /** The attached keepers, which have the copies of packs. */
  readonly keepers: Pick<Keepers, 'releaseContent'>
  /** Removes the cached file and the row of a content that is being deleted. */
  readonly finishEviction: (tx: Tx, contentId: number) => Promise<void>
}

/**
 * Ends that a content is a member of a pack. The last member takes the pack with it: returns the ids of the tasks that remove its copies.
 * Undefined for a content that is no member.
 */
export async function leavePackOf(deps: PackEndDeps, tx: Tx, contentId: number): Promise<readonly number[] | undefined> {
  const left = await leavePack(tx, contentId)
  return left && (left.isEmpty ? endPack(deps, tx, left.packId) : [])
}

/** Ends a pack without members. */
export async function endPack({ clock, keepers, finishEviction }: PackEndDeps, tx: Tx, packId: number): Promise<readonly number[]> {
  if (!(await endEmptyPack(tx, packId, clock.now()))) return []
  await finishEviction(tx, packId)
  return keepers.releaseContent(tx, packId)
}
