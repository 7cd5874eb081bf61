import { defineEndpoint } from '#kernel'
import { type } from '#kernel/schema'

export const startOidc = defineEndpoint({
  method: 'GET',
  path: '/api/v1/auth/oidc/start',
  summary: 'Send the browser to the identity provider',
  query: type({ /** Path of the dashboard to return to. */ 'return_to?': 'string' }),
  status: 303,
  refusals: ['oidc_off'],
})

/** Its parameters are the provider's: code, state, iss, error. */
export const finishOidc = defineEndpoint({
  method: 'GET',
  path: '/api/v1/auth/oidc/callback',
  summary: 'The way back from the identity provider: signs the browser in, or returns to the sign-in page with what went wrong',
  status: 303,
  refusals: ['oidc_off'],
})

/** What the sign-in page says after a failure, as `?sign_in=…`. */
export type SignInProblem = 'busy' | 'cancelled' | 'expired' | 'no_role' | 'refused' | 'unreachable'
