/** What happens to the objects without all their copies. Pure. */
import type { Answer } from '@svc/ui-kit'
import { describeBelowTarget } from '../buckets/describe-below-target.ts'

type Objects = Pick<Answer<'GET /overview'>['objects'], 'total' | 'below_target'>

export function describeUnstored({ total, below_target }: Objects): string {
  if (total === 0) return 'No objects yet'
  const { tone, text } = describeBelowTarget(below_target ?? { stuck: 0, waiting: 0, working: 0 })
  return tone === 'success' ? 'All objects have their copies' : text
}
