/** How long the deposit lasts. Pure. */
import { type Answer, formatPlural } from '@svc/ui-kit'

export type Runway = NonNullable<Answer<'GET /overview'>['cost']>['runway']

export function describeRunway({ level, days }: Pick<Runway, 'level' | 'days'>): string {
  if (level === 'unknown') return 'Not known'
  if (days === null) return 'Nothing is spent'
  return level === 'empty' ? 'Used up' : formatPlural(days, 'day')
}
