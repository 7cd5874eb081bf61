import { component$ } from '@builder.io/qwik'
import { Button } from '../../kit/button.tsx'
import type { Methods } from './sign-in-methods.ts'

/** The identity provider: the browser leaves the page and comes back to its address; what was typed there is lost. */
export const ExternalWays = component$<{ ways: Methods['external'] }>(({ ways }) => (
  <>
    {ways.map(({ label, path }) => (
      <Button
        key={path}
        class="w-full"
        icon="log-in"
        onClick$={() => location.assign(`${path}?return_to=${encodeURIComponent(placeAfterSignIn())}`)}
      >
        Sign in with {label}
      </Button>
    ))}
  </>
))

/** The address that was asked for, without what the last attempt left there. */
function placeAfterSignIn(): string {
  const parameters = new URLSearchParams(location.search)
  parameters.delete('sign_in')
  return location.pathname + (parameters.size === 0 ? '' : `?${parameters}`)
}
