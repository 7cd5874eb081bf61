import { defineEndpoint } from '#kernel'
import { type } from '#kernel/schema'

export const shownSession = type({
  id: 'string',
  username: 'string',
  role: "'admin' | 'operator' | 'read-only'",
  /** `external`: signed in at the identity provider. */
  how: "'password' | 'external'",
  signed_in_at: 'string',
  seen_at: 'string',
  expires_at: 'string',
  /** Address of the latest request. */
  client: 'string',
  /** The session of this request. */
  current: 'boolean',
})

export const listSessions = defineEndpoint({
  method: 'GET',
  path: '/api/v1/auth/sessions',
  summary: 'Browser sessions that sent a request since the service started, most recent first',
  role: 'admin',
  answer: type({ sessions: shownSession.array() }),
})

export const endListedSession = defineEndpoint({
  method: 'DELETE',
  path: '/api/v1/auth/sessions/:id',
  summary: 'End a session of the list; it stays ended after a restart',
  role: 'admin',
  params: type({ id: 'string <= 64' }),
  status: 204,
  refusals: ['session_not_found'],
})

export type ShownSession = typeof shownSession.infer
