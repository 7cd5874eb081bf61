import { defineErrors } from '#kernel'

export const accessErrors = defineErrors({
  second_factor_on: { status: 409, message: 'The second factor is on already. Turn it off first.' },
  second_factor_off: { status: 409, message: 'The second factor is off.' },
  second_factor_code_wrong: { status: 403, message: 'The code is wrong, was used, or is too old. Wait for the next one.' },
  second_factor_not_begun: {
    status: 409,
    message: 'No secret waits for its first code: it is too old, or had several wrong codes. Begin again.',
  },
  password_wrong: { status: 403, message: 'The password of the local admin is wrong.' },
  oidc_off: { status: 404, message: 'Sign-in at an identity provider is off: admin.oidc.issuer is empty.' },
  session_not_found: {
    status: 404,
    message: 'No session has this id: it has ended, or sent no request since the service started. Read the list again.',
  },
})
