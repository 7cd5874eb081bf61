/** Work that rows need and no task does, page by page in one order. */
import type { Reader, TaskQueue } from '#kernel'
import { nextCheckAtMs } from '../finality/landing-store.ts'
import { pageOfStuckContents, type UnsettledPlace } from '../stuck/stuck-contents-store.ts'
import { pageOfStuckSets, type SetWork, setWorks } from '../stuck/stuck-sets-store.ts'
import { taskKeys } from '../task-keys.ts'

/** Contents or data sets that are looked at between two turns of the event loop, and enqueued in one transaction. */
const worksPerPage = 200

/** The id of a content or a data set. */
export type Work = { readonly kind: 'store' | SetWork; readonly id: number } | { readonly kind: 'finality' }

/** Where a page begins. */
export type WorkPlace =
  | { readonly kind: 'finality' }
  | { readonly kind: SetWork; readonly after: number }
  | { readonly kind: 'store'; readonly after: UnsettledPlace }

export const firstPlace: WorkPlace = { kind: 'finality' }

interface WorkPage {
  /** May be empty before the last page: a page has a bound on the rows that it reads. */
  readonly works: readonly Work[]
  /** Is undefined after the last page. */
  readonly next: WorkPlace | undefined
}

/** Data sets first: contents wait for them. */
function placeAfter(kind: 'finality' | SetWork): WorkPlace {
  const following = setWorks[kind === 'finality' ? 0 : setWorks.indexOf(kind) + 1]
  return following === undefined ? { kind: 'store', after: { bucketId: 0, storeState: '', id: 0 } } : { kind: following, after: 0 }
}

export async function pageOfStuckWorks(read: Reader, queue: Pick<TaskQueue, 'hasOpen'>, place: WorkPlace): Promise<WorkPage> {
  const { kind } = place
  if (kind === 'finality') {
    const lacks = (await nextCheckAtMs(read)) !== undefined && !(await queue.hasOpen(read, taskKeys.finality))
    return { works: lacks ? [{ kind }] : [], next: placeAfter(kind) }
  }
  if (kind === 'store') {
    const { ids, next } = await pageOfStuckContents(read, place.after, worksPerPage)
    return { works: ids.map((id) => ({ kind, id })), next: next && { kind, after: next } }
  }
  const ids = await pageOfStuckSets(read, kind, { after: place.after, limit: worksPerPage })
  const last = ids.length < worksPerPage ? undefined : ids.at(-1)
  return { works: ids.map((id) => ({ kind, id })), next: last === undefined ? placeAfter(kind) : { kind, after: last } }
}
