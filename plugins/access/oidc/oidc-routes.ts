import { defineRoutes, serveEndpoint } from '#kernel'
import { readCookie, setSessionCookie } from '#kernel/server'
import { adminAuth } from '#kernel/system'
import { accessErrors } from '../errors.ts'
import { finishOidc, type SignInProblem, startOidc } from './oidc-api.ts'
import { oidcSection } from './oidc-settings.ts'
import { oidcSignIn } from './oidc-sign-in.ts'
import { pendingLimits } from './pending-sign-in.ts'
import { returnPath } from './safe-url-policy.ts'

const cookieName = 'svc_oidc'
const problemPage = (problem: SignInProblem) => `/?sign_in=${problem}`

/** Open: nobody is signed in yet. Lax, because the browser comes back from another site. */
export const oidcRoutes = defineRoutes({
  name: 'oidc',
  access: 'open',
  uses: { oidcSignIn, adminAuth, settings: oidcSection.settings },
  endpoints: [startOidc, finishOidc],
  register(app, { oidcSignIn, adminAuth, settings }) {
    const pendingCookie = (value: string, seconds: number) =>
      [
        ...[`${cookieName}=${value}`, 'Path=/api/v1/auth/oidc', `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Lax'],
        ...(settings.public_url.startsWith('https:') ? ['Secure'] : []),
      ].join('; ')

    serveEndpoint(app, startOidc, async ({ query, reply }) => {
      if (!oidcSignIn.isOn) throw accessErrors.oidc_off()
      const begun = await oidcSignIn.begin(returnPath(query.return_to))
      if (typeof begun === 'string') return reply.redirect(problemPage(begun), 303)
      return reply.header('set-cookie', pendingCookie(begun.cookie, pendingLimits.ms / 1000)).redirect(begun.location, 303)
    })

    serveEndpoint(app, finishOidc, async ({ request, reply }) => {
      if (!oidcSignIn.isOn) throw accessErrors.oidc_off()
      const { clientIp: client } = adminAuth.resolveOrigin(request.raw)
      const answer = new URL(request.raw.url ?? '', 'http://svc').searchParams
      const cookie = readCookie(request.headers.cookie, cookieName)
      const found = await oidcSignIn.finish(answer, cookie)
      reply.header('set-cookie', pendingCookie('', 0))
      const refuse = (problem: SignInProblem, by?: string) => {
        // A callback without the cookie is no sign-in, and such requests of strangers would fill the audit log.
        if (cookie !== undefined) adminAuth.audit.signIn({ outcome: 'refused', how: 'external', by, client })
        return reply.redirect(problemPage(problem), 303)
      }
      if (typeof found === 'string') return refuse(found)
      const { username, role, returnTo } = found
      if (role === undefined) return refuse('no_role', username)
      const session = adminAuth.sessions.beginExternal({ username, role, realm: oidcSignIn.provider.realm, maxMs: settings.session_max })
      setSessionCookie(adminAuth, { request, reply }, session)
      adminAuth.audit.signIn({ outcome: 'accepted', how: 'external', by: username, client })
      return reply.redirect(returnTo, 303)
    })
  },
})
