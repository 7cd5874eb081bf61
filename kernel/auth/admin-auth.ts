import type { IncomingMessage } from 'node:http'
import { defineService } from '../core/service.ts'
import type { Audit } from './audit.ts'
import type { AuditTrail } from './audit-trail.ts'
import type { Sessions } from './sessions.ts'
import type { SignIn } from './sign-in.ts'
import type { OriginResolver } from './trusted-proxy.ts'

/** Who may use the Admin API: shared by the guard, the routes, and plugins with further ways to sign in. */
export interface AdminAuth {
  readonly enabled: boolean
  readonly signIn: SignIn
  readonly sessions: Sessions
  readonly resolveOrigin: OriginResolver
  /** Whether the request was on no network in clear text. */
  readonly isPrivate: (request: Pick<IncomingMessage, 'headers' | 'socket'>) => boolean
  readonly audit: Audit
  readonly trail: AuditTrail
  /** Further ways to sign in, for the sign-in page. */
  readonly offers: ExternalOffer[]
}

/** A way to sign in that a plugin adds: an address that the browser opens. */
interface ExternalOffer {
  readonly label: string
  readonly path: string
}

export const adminAuth = defineService<AdminAuth>('kernel.admin-auth')
