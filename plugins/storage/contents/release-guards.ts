import type { Clock, Tx } from '#kernel'
import { isReleasable } from '../catalog/cache-entry-store.ts'
import type { Contents, ReleaseGuard } from '../contract.ts'
import type { Attached } from './attached.ts'
import type { Keepers } from './keepers.ts'

type MayRelease = (tx: Tx, contentId: number) => boolean

/** Whether the content has enough copies and every guard lets its cached bytes go. */
export const mayReleaseFrom =
  (attached: () => readonly Attached<ReleaseGuard>[], hasCopies: MayRelease): MayRelease =>
  (tx, contentId) =>
    hasCopies(tx, contentId) && attached().every(({ item, services }) => item.mayRelease(services as never, tx, contentId))

interface CopiesDeps {
  readonly keepers: Pick<Keepers, 'isAnyAbsent'>
  readonly contents: Pick<Contents, 'recount'>
  readonly clock: Clock
}

/** While a keeper is absent nobody can read its copies, but the row still counts them: counts those of the others. */
export const hasCopiesLeft =
  ({ keepers, contents, clock }: CopiesDeps): MayRelease =>
  (tx, contentId) => {
    if (!keepers.isAnyAbsent(tx)) return true
    contents.recount(tx, contentId, clock.now())
    return isReleasable(tx, contentId)
  }
