import { component$ } from '@builder.io/qwik'
import { Card, formatPlural, Link, useQuery } from '@svc/ui-kit'
import { CauseList } from './cause-list.tsx'

/** Why objects have too few copies, on the overview; nothing while all have theirs. */
export const CausesCard = component$(() => {
  const found = useQuery('GET /below-target/causes')
  const causes = found.data?.causes ?? []
  if (causes.length === 0) return null
  return (
    <Card title="Why copies are missing" note={formatPlural(causes.length, 'cause')} flush>
      <Link q:slot="actions" to="/below-target" class="text-accent hover:underline">
        All objects
      </Link>
      <CauseList causes={causes} />
    </Card>
  )
})
