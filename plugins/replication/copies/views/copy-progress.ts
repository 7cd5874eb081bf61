import type { Reader } from '#kernel'
import type { CopyProgress } from '../../contract.ts'
import { waitText } from '../../stuck/wait-text-policy.ts'
import type { ContentRow } from '../records/placement-store.ts'
import type { ContentState } from './being-stored.ts'
import { combineCopies } from './combine-copies-policy.ts'
import { listCopiesOfSome, listPartCopyRecords } from './copy-record-store.ts'

type Shown = ContentRow & ContentState

/** Reads the copies of a page of contents by one statement, and by one more for each composite; these are few. */
export async function progressOf(read: Reader, contents: readonly Shown[]): Promise<(content: Shown) => CopyProgress> {
  const isComposite = ({ partIds }: Shown) => partIds.length > 0
  const whole = await listCopiesOfSome(read, [...new Set(contents.flatMap((one) => (isComposite(one) ? [] : [one.copiedId])))])
  const composites = new Map<number, Awaited<ReturnType<typeof listPartCopyRecords>>>()
  for (const { contentId } of contents.filter(isComposite)) composites.set(contentId, await listPartCopyRecords(read, contentId))
  return (content) => {
    const { contentId, copiedId, partIds, work, waitReason, waitUntilMs, size, targetCopies } = content
    const copies = isComposite(content)
      ? combineCopies(composites.get(contentId) ?? [], partIds.length)
      : combineCopies(whole.get(copiedId) ?? [], 1)
    const slots = copies.map(({ copyIndex, status, providerId }) => ({ copyIndex, status, providerId }))
    const target = size === 0 ? 0 : targetCopies
    const stored = slots.filter(({ status }) => status === 'committed').length
    const waitMessage = waitReason === null ? null : waitText(waitReason)
    return { work: size === 0 ? 'complete' : work, target, stored, waitReason, waitMessage, waitUntilMs, slots }
  }
}
