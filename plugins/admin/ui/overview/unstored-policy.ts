/** What the objects without all their copies are waiting for. Pure. */
import type { Answer } from '@svc/ui-kit'

type Objects = Pick<Answer<'GET /overview'>['objects'], 'total' | 'by_state'>

export function describeUnstored({ total, by_state }: Objects): string {
  if (total === 0) return 'No objects yet'
  const moving = total - by_state.stored - by_state.failed
  const parts = [
    ...(moving > 0 ? [`${moving} on ${moving === 1 ? 'its' : 'their'} way`] : []),
    ...(by_state.failed > 0 ? [`${by_state.failed} failed`] : []),
  ]
  return parts.length === 0 ? 'Nothing is on its way' : parts.join(', ')
}
