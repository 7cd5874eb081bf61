import { component$, type Signal } from '@builder.io/qwik'
import { ApiError } from '../../data/api-error.ts'
import { call } from '../../data/call.ts'
import type { Answer } from '../../data/endpoints.ts'
import { Button } from '../../kit/button.tsx'

type Methods = Answer<'GET /auth/methods'>

export const passwordAlone: Methods = { second_factor: false, external: [] }

export async function readMethods(methods: Signal<Methods>): Promise<void> {
  try {
    methods.value = await call('GET /auth/methods')
  } catch (error) {
    // The password is always a way; the sign-in itself says what else is wrong.
    if (!(error instanceof ApiError)) throw error
  }
}

/** The identity provider. Above a page whose forms are to be kept it opens in a new tab; this one continues when it is shown again. */
export const ExternalWays = component$<{ ways: Methods['external']; isAgain: boolean }>(({ ways, isAgain }) => (
  <>
    {ways.map(({ label, path }) => (
      <Button
        key={path}
        class="w-full"
        icon={isAgain ? 'external-link' : 'log-in'}
        onClick$={() => {
          const to = `${path}?return_to=${encodeURIComponent(isAgain ? '/' : placeAfterSignIn())}`
          if (isAgain) open(to, '_blank', 'noopener')
          else location.assign(to)
        }}
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
