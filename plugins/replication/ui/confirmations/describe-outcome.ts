/** What a release of a group left, in words. Pure. */
import { type Answer, formatPlural } from '@svc/ui-kit'

export type GroupOutcome = Answer<'POST /storage-confirmations/release'>

/** Why copies of a group were not released: each reason once, with the number of copies. */
export function describeOutcome({ refusals, has_more }: GroupOutcome): string {
  const byReason = [...Map.groupBy(refusals, ({ error }) => error)]
  const reasons = byReason.map(([error, { length }]) => `${formatPlural(length, 'copy', 'copies')}: ${error}`)
  return [...reasons, ...(has_more ? ['Copies are left that were not tried: release them again.'] : [])].join(' ')
}
