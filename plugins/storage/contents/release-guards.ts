import type { Clock, Tx } from '#kernel'
import { isReleasable } from '../catalog/cached/releasable-store.ts'
import { packIdOf } from '../catalog/packs/pack-store.ts'
import type { Contents, ReleaseGuard } from '../contract.ts'
import type { Attached } from './attached.ts'
import type { Keepers } from './keepers.ts'

type MayRelease = (tx: Tx, contentId: number) => Promise<boolean>

/** Whether the content has enough copies and every guard lets its cached bytes go. The copies of a member are those of its pack. */
export const mayReleaseFrom =
  (attached: () => readonly Attached<ReleaseGuard>[], hasCopies: MayRelease): MayRelease =>
  async (tx, contentId) => {
    if (!(await hasCopies(tx, contentId))) return false
    const copiedId = (await packIdOf(tx, contentId)) ?? contentId
    for (const { item, services } of attached()) if (!(await item.mayRelease(services, tx, copiedId))) return false
    return true
  }

interface CopiesDeps {
  readonly keepers: Pick<Keepers, 'isAnyAbsent'>
  readonly contents: Pick<Contents, 'recount'>
  readonly clock: Clock
}

/** Counts the copies of the attached keepers: the row also counts those of an absent keeper, which cannot be read. */
export const hasOtherCopies =
  ({ keepers, contents, clock }: CopiesDeps): MayRelease =>
  async (tx, contentId) => {
    if (!(await keepers.isAnyAbsent(tx))) return true
    await contents.recount(tx, [(await packIdOf(tx, contentId)) ?? contentId], clock.now())
    return await isReleasable(tx, contentId)
  }
