import { defineEndpoint } from '#kernel'
import { type } from '#kernel/schema'

export const showSecondFactor = defineEndpoint({
  method: 'GET',
  path: '/api/v1/auth/second-factor',
  summary: 'Whether the local admin has a second factor',
  role: 'admin',
  answer: type({ enabled: 'boolean', recovery_codes_left: 'number.integer' }),
})

export const beginSecondFactor = defineEndpoint({
  method: 'POST',
  path: '/api/v1/auth/second-factor',
  summary: 'Make a secret for an authenticator app; the second factor is on after its first code was confirmed',
  role: 'admin',
  audit: [],
  /** `password`: of the local admin; not needed with HTTP Basic, which just sent it. */
  body: type({ 'password?': 'string <= 1024' }),
  answer: type({ secret: 'string', uri: 'string' }),
  refusals: ['login_rate_limited', 'password_wrong', 'second_factor_on'],
})

export const confirmSecondFactor = defineEndpoint({
  method: 'POST',
  path: '/api/v1/auth/second-factor/confirm',
  summary: 'Turn the second factor on with the first code; the answer is shown once',
  role: 'admin',
  audit: [],
  body: type({ code: 'string <= 64' }),
  answer: type({
    recovery_codes: 'string[]',
    /** HTTP Basic takes it in place of the operator's password. */
    script_password: 'string',
  }),
  refusals: ['second_factor_on', 'second_factor_code_wrong', 'second_factor_not_begun'],
})

export const removeSecondFactor = defineEndpoint({
  method: 'POST',
  path: '/api/v1/auth/second-factor/remove',
  summary: 'Turn the second factor off, with a code',
  role: 'admin',
  audit: [],
  body: type({ code: 'string <= 64' }),
  status: 204,
  refusals: ['login_rate_limited', 'second_factor_off', 'second_factor_code_wrong'],
})
