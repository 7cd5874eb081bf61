import { component$ } from '@builder.io/qwik'
import { Banner, Link, useQuery } from '@svc/ui-kit'
import { pendingText } from './pending-text-policy.ts'

/** Saved settings wait for a restart: the one place that says so, above every page. */
export const RestartBanner = component$(() => {
  const { data } = useQuery('GET /settings')
  if (!data?.restart_required || data.mode !== 'ready') return null
  return (
    <Banner tone="warning" title="Saved: restart the service to use the new settings">
      {pendingText(data.pending ?? [])}{' '}
      <Link to="/settings" class="underline">
        Show the settings
      </Link>
    </Banner>
  )
})
