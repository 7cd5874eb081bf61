import type { Tx } from '#kernel'
import type { ReleaseGuard } from '../contract.ts'
import type { Attached } from './attached.ts'

/** Whether every guard lets the cached bytes of a content go. */
export const mayReleaseFrom =
  (attached: () => readonly Attached<ReleaseGuard>[]) =>
  (tx: Tx, contentId: number): boolean =>
    attached().every(({ item, services }) => item.mayRelease(services as never, tx, contentId))
