import { type Answer, Link, toneText } from '@svc/ui-kit'
import { describeBelowTarget } from './describe-below-target.ts'

/** Objects of a bucket with fewer copies than their target, with the worst of what happens to them. */
export const BelowTarget = ({ bucket }: { bucket: Pick<Answer<'GET /buckets'>[number], 'name' | 'below_target'> }) => {
  const shown = bucket.below_target && describeBelowTarget(bucket.below_target)
  if (!shown) return null
  if (shown.tone === 'success') return <span class="text-muted">{shown.text}</span>
  return (
    <Link
      to="/buckets/:name"
      params={{ name: bucket.name }}
      query={{ tab: 'below-target' }}
      class={['hover:underline', toneText[shown.tone]]}
    >
      {shown.text}
    </Link>
  )
}
