import { component$ } from '@builder.io/qwik'
import { useQuery } from '@svc/ui-kit'
import { RestartNotice } from './restart-notice.tsx'

/** Saved settings wait for a restart: the one place that says so, above every page. What it shows loads when it is needed. */
export const RestartBanner = component$(() => {
  const { data } = useQuery('GET /settings')
  return data?.restart_required && data.mode === 'ready' ? <RestartNotice settings={data} /> : null
})
