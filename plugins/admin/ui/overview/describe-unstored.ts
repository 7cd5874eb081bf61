/** What happens to the objects without all their copies. Pure. */
import { type Answer, formatCount } from '@svc/ui-kit'

type Objects = Pick<Answer<'GET /overview'>['objects'], 'total' | 'below_target'>

export function describeUnstored({ total, below_target }: Objects): string {
  if (total === 0) return 'No objects yet'
  const { stuck, waiting, working } = below_target ?? { stuck: 0, waiting: 0, working: 0 }
  const parts = [
    ...(stuck > 0 ? [`${formatCount(stuck)} stuck`] : []),
    ...(waiting > 0 ? [`${formatCount(waiting)} waiting`] : []),
    ...(working > 0 ? [`${formatCount(working)} worked on`] : []),
  ]
  return parts.length === 0 ? 'All objects have their copies' : parts.join(', ')
}
