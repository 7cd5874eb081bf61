import { component$ } from '@builder.io/qwik'
import { Banner, Link } from '@svc/ui-kit'
import type { Settings } from './draft-policy.ts'
import { pendingText } from './pending-text-policy.ts'
import { RestartButton } from './restart-button.tsx'

export const RestartNotice = component$<{ settings: Settings }>(({ settings }) => (
  <Banner tone="warning" title="Saved: restart the service to use the new settings">
    {pendingText(settings.pending ?? [])}{' '}
    <Link to="/settings" class="underline">
      Show the settings
    </Link>
    <span q:slot="actions">
      <RestartButton settings={settings} />
    </span>
  </Banner>
))
