import type { Answer } from '@svc/ui-kit'

export type Issued = Answer<'POST /auth/second-factor/confirm'>

/** The file that an operator keeps. */
export const recoveryText = ({ recovery_codes: codes, script_password: script }: Issued, host: string): string =>
  [
    `Second factor of the local admin of svc at ${host}`,
    '',
    'Recovery codes. Each signs in once, in place of a code of the app:',
    ...codes,
    '',
    'Password of scripts, for HTTP Basic and SVC_ADMIN_PASSWORD:',
    script,
    '',
  ].join('\n')
