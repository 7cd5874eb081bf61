import type { Reader } from '#kernel'
import type { CopyProgress } from '../../contract.ts'
import { idsOf } from '../../stuck/copy-failure-store.ts'
import { waitText } from '../../stuck/wait-text-policy.ts'
import type { ContentRow } from '../records/placement-store.ts'
import type { ContentState } from './being-stored.ts'
import { combineCopies } from './combine-copies-policy.ts'
import { listCopiesOfSome } from './copy-record-store.ts'

type Shown = ContentRow & ContentState

/** An empty content needs no copies. */
export const workOf = ({ size, work }: Pick<Shown, 'size' | 'work'>): CopyProgress['work'] => (size === 0 ? 'complete' : work)

/** Reads the copies of a page of contents by one statement. */
export async function progressOf(read: Reader, contents: readonly Shown[]): Promise<(content: Shown) => CopyProgress> {
  const found = await listCopiesOfSome(read, [...new Set(contents.flatMap(idsOf))])
  return (content) => {
    const { waitReason, waitUntilMs, size, targetCopies } = content
    const ids = idsOf(content)
    const copies = combineCopies(
      ids.flatMap((id) => found.get(id) ?? []),
      ids.length,
    )
    const slots = copies.map(({ copyIndex, status, providerId }) => ({ copyIndex, status, providerId }))
    const target = size === 0 ? 0 : targetCopies
    const stored = slots.filter(({ status }) => status === 'committed').length
    const waitMessage = waitReason === null ? null : waitText(waitReason)
    return { work: workOf(content), target, stored, waitReason, waitMessage, waitUntilMs, slots }
  }
}
