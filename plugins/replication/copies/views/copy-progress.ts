import type { Reader } from '#kernel'
import type { CopyProgress } from '../../contract.ts'
import { waitText } from '../../stuck/wait-text-policy.ts'
import type { ContentRow } from '../records/placement-store.ts'
import type { ContentState } from './being-stored.ts'
import { combineCopies } from './combine-copies-policy.ts'
import { copiedPartsOf, listCopiesOfSome } from './copy-record-store.ts'

type Shown = ContentRow & ContentState

/** Reads the copies of a page of contents by one statement, and the parts of its composites by another. */
export async function progressOf(read: Reader, contents: readonly Shown[]): Promise<(content: Shown) => CopyProgress> {
  const composites = contents.filter(({ partIds }) => partIds.length > 0).map(({ contentId }) => contentId)
  const parts = await copiedPartsOf(read, composites)
  const idsOf = ({ contentId, copiedId }: Shown) => parts.get(contentId) ?? [copiedId]
  const found = await listCopiesOfSome(read, [...new Set(contents.flatMap(idsOf))])
  return (content) => {
    const { work, waitReason, waitUntilMs, size, targetCopies } = content
    const ids = idsOf(content)
    const copies = combineCopies(
      ids.flatMap((id) => found.get(id) ?? []),
      ids.length,
    )
    const slots = copies.map(({ copyIndex, status, providerId }) => ({ copyIndex, status, providerId }))
    const target = size === 0 ? 0 : targetCopies
    const stored = slots.filter(({ status }) => status === 'committed').length
    const waitMessage = waitReason === null ? null : waitText(waitReason)
    return { work: size === 0 ? 'complete' : work, target, stored, waitReason, waitMessage, waitUntilMs, slots }
  }
}
