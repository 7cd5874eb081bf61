import { database, defineRoutes, formatTime, serveEndpoint } from '#kernel'
import { adminAuth, kernelErrors, requestIdentity } from '#kernel/system'
import { accessErrors } from '../errors.ts'
import { endSession } from './ended-store.ts'
import { endListedSession, listSessions } from './session-api.ts'

export const sessionRoutes = defineRoutes({
  name: 'sessions',
  uses: { database, adminAuth },
  endpoints: [listSessions, endListedSession],
  register(app, { database, adminAuth }) {
    serveEndpoint(app, listSessions, async ({ request }) => {
      const identity = requestIdentity(request)
      const own = identity.kind === 'session' ? identity.sessionId : undefined
      const sessions = adminAuth.sessions.list().map(({ id, username, role, how, client, ...times }) => ({
        ...{ id, username, role, how, client },
        signed_in_at: formatTime(times.signedInAtMs),
        seen_at: formatTime(times.seenAtMs),
        expires_at: formatTime(times.expiresAtMs),
        current: id === own,
      }))
      return { sessions }
    })

    serveEndpoint(app, endListedSession, async ({ params: { id } }) => {
      const found = adminAuth.sessions.find(id)
      if (!found) throw accessErrors.session_not_found()
      // The row first: a session that was ended must not live again after a restart.
      await database.write((tx) => endSession(tx, { id, until: found.untilMs }))
      if (!adminAuth.sessions.endById(id, found.untilMs)) {
        throw kernelErrors.service_unavailable({
          message:
            'Too many sessions were ended; this one ends when the service starts again. To end all, run svc admin-auth reset-password.',
        })
      }
    })
  },
})
