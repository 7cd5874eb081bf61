import { component$ } from '@builder.io/qwik'
import { Banner, Link } from '@svc/ui-kit'
import type { Settings } from './draft-policy.ts'
import { pendingText } from './pending-text-policy.ts'

export const RestartNotice = component$<{ pending: NonNullable<Settings['pending']> }>(({ pending }) => (
  <Banner tone="warning" title="Saved: restart the service to use the new settings">
    {pendingText(pending)}{' '}
    <Link to="/settings" class="underline">
      Show the settings
    </Link>
  </Banner>
))
