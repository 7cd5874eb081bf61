/** Endpoints of the browser sign-in and sign-out. */

import { defineEndpoint } from '../http/endpoint.ts'
import { type } from '../schema.ts'

export const sessionType = type({
  username: 'string',
  /** Value of the X-Svc-CSRF header of every change. */
  csrf_token: 'string',
  expires_at: 'string',
  /** Renewal is accepted from this time on. */
  refresh_after: 'string',
  /** Absent: the role is admin. */
  'role?': "'operator' | 'read-only'",
  /** Routes that the role may not use, such as `POST /api/v1/buckets`. Absent: none. */
  'refused?': 'string[]',
})

export const login = defineEndpoint({
  method: 'POST',
  path: '/api/v1/auth/login',
  summary: 'Signs a browser in and sets its session cookie.',
  body: type({
    username: 'string',
    password: 'string',
    'remember?': 'boolean',
    /** While the second factor is on: a code of the app, or a recovery code. */
    'code?': 'string <= 64',
  }),
  bytesMax: 10 * 1024,
  // A form of another site cannot send it, and a script of one only after a preflight, which fails.
  requireJsonType: true,
  // Later versions of the dashboard may send further members.
  unknownMembers: 'drop',
  answer: sessionType,
  refusals: ['cross_site_refused', 'login_rate_limited', 'password_checks_busy', 'second_factor_required'],
})

export const listMethods = defineEndpoint({
  method: 'GET',
  path: '/api/v1/auth/methods',
  summary: 'The ways to sign in, for the sign-in page; the password of the local admin is always one.',
  answer: type({
    /** The password alone is not enough: the sign-in needs `code`. */
    second_factor: 'boolean',
    /** Addresses that the browser opens. */
    external: type({ label: 'string', path: 'string' }).array(),
  }),
})

export const readSession = defineEndpoint({
  method: 'GET',
  path: '/api/v1/auth/session',
  summary: 'The session of the cookie.',
  answer: sessionType,
})

export const refresh = defineEndpoint({
  method: 'POST',
  path: '/api/v1/auth/refresh',
  role: 'read-only',
  summary: 'Renews the session once refresh_after is reached; before that it only returns it.',
  answer: sessionType,
  refusals: ['csrf_required'],
})

export const logout = defineEndpoint({
  method: 'POST',
  path: '/api/v1/auth/logout',
  role: 'read-only',
  summary: 'Ends the session and everything that was renewed from the same sign-in.',
  status: 204,
  refusals: ['csrf_required'],
})

/** Served by the kernel itself while `admin.auth.enabled` is true: `login` and `listMethods` without credentials, the others to a browser session. */
export const sessionEndpoints = [readSession, refresh, logout] as const
