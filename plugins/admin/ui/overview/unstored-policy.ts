/** What the objects without all their copies are waiting for. Pure. */
import type { Answer } from '@svc/ui-kit'

type Objects = Pick<Answer<'GET /overview'>['objects'], 'total' | 'by_state' | 'attention'>

export function describeUnstored({ total, by_state, attention: { stuck } }: Objects): string {
  if (total === 0) return 'No objects yet'
  const moving = Math.max(0, total - by_state.stored - by_state.failed - stuck)
  const parts = [
    ...(moving > 0 ? [`${moving} on ${moving === 1 ? 'its' : 'their'} way`] : []),
    ...(stuck > 0 ? [`${stuck} stuck`] : []),
    ...(by_state.failed > 0 ? [`${by_state.failed} failed`] : []),
  ]
  return parts.length === 0 ? 'Nothing is on its way' : parts.join(', ')
}
