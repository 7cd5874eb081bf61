import { adminFlags } from '#cli'
import { defineCommand } from '#kernel'

/** Commands of `svc admin session`, `svc admin audit` and `svc admin totp`. */
export const accessCommands = [
  defineCommand({
    name: 'admin session list',
    summary: 'List browser sessions that sent a request since the service started',
    examples: [['svc admin session list', 'Who is signed in, with which role and from where']],
    flags: adminFlags,
    load: () => import('./session-list-command.ts'),
  }),
  defineCommand({
    name: 'admin session end',
    summary: 'End a browser session',
    examples: [['svc admin session end lGQ…', 'By the id in svc admin session list']],
    parameters: ['<id>'],
    flags: adminFlags,
    load: () => import('./session-end-command.ts'),
  }),
  defineCommand({
    name: 'admin audit',
    summary: 'List sign-ins, refusals for safety and changes, newest first',
    examples: [
      ['svc admin audit --who admin --from 2026-01-31T00:00:00Z', 'What one person did since a time'],
      ['svc admin audit --what sign_in --outcome refused', 'Wrong passwords'],
    ],
    flags: {
      ...adminFlags,
      what: { type: ['sign_in', 'block', 'refusal', 'change'], description: 'Only this kind of line' },
      outcome: { type: ['done', 'refused', 'failed', 'blocked', 'cut'], description: 'Only this outcome' },
      who: { type: 'text', description: 'Only this user name' },
      route: { type: 'text', description: 'Only this route, such as /api/v1/settings' },
      from: { type: 'text', description: 'Not before this RFC 3339 time' },
      to: { type: 'text', description: 'Not after this RFC 3339 time' },
      limit: { type: 'number', max: 200, description: 'Lines to show, 1 to 200; default 50' },
      cursor: {
        type: 'number',
        max: Number.MAX_SAFE_INTEGER,
        description: 'Continue after this line, which the last line of a page names',
      },
    },
    load: () => import('./audit-command.ts'),
  }),
  defineCommand({
    name: 'admin totp status',
    summary: 'Show whether the sign-in of the local admin needs a code',
    examples: [['svc admin totp status', 'With the number of recovery codes that are left']],
    flags: adminFlags,
    load: () => import('./totp-status-command.ts'),
  }),
  defineCommand({
    name: 'admin totp begin',
    summary: 'Make a secret for an authenticator app; nothing changes before svc admin totp confirm',
    examples: [['svc admin totp begin', 'Enter the secret or the address in the app, within ten minutes']],
    flags: adminFlags,
    load: () => import('./totp-begin-command.ts'),
  }),
  defineCommand({
    name: 'admin totp confirm',
    summary: 'Turn the second factor on with the first code of the app; print the recovery codes and the password of scripts once',
    examples: [['svc admin totp confirm 123456', 'From now on HTTP Basic, and so svc admin, takes the printed password of scripts']],
    parameters: ['<code>'],
    flags: adminFlags,
    load: () => import('./totp-confirm-command.ts'),
  }),
  defineCommand({
    name: 'admin totp remove',
    summary: 'Turn the second factor off, with a code',
    examples: [['svc admin totp remove 123456', 'Or with a recovery code']],
    parameters: ['<code>'],
    flags: adminFlags,
    load: () => import('./totp-remove-command.ts'),
  }),
]
