import { component$ } from '@builder.io/qwik'
import { Card, Link } from 'svc/ui-kit'

/** Shown on the overview. */
export const HoldCard = component$(() => (
  <Card title="Legal hold">
    <p class="text-sm">
      Objects under a prefix stay in the cache.{' '}
      <Link to="/legal-holds" class="text-accent hover:underline">
        Show the buckets
      </Link>
    </p>
  </Card>
))
