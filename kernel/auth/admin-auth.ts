import type { SettingValues } from '../config/section.ts'
import type { Clock } from '../core/clock.ts'
import { defineService } from '../core/service.ts'
import type { Log } from '../log/log.ts'
import type { adminAuthSection } from './admin-settings.ts'
import { type Audit, createAudit } from './audit.ts'
import { AuditTrail } from './audit-trail.ts'
import { explainBadHash } from './password.ts'
import { factorPath } from './second-factor/factor-file.ts'
import { SecondFactor } from './second-factor/second-factor.ts'
import { Sessions } from './sessions.ts'
import { SignIn } from './sign-in.ts'
import { createOriginResolver, type OriginResolver } from './trusted-proxy.ts'

/** Who may use the Admin API: shared by the guard, the routes, and plugins with further ways to sign in. */
export interface AdminAuth {
  readonly enabled: boolean
  readonly signIn: SignIn
  readonly sessions: Sessions
  readonly resolveOrigin: OriginResolver
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

interface AdminAuthOptions {
  readonly auth: SettingValues<typeof adminAuthSection.keys>
  readonly trustedProxies: readonly string[]
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  readonly log: Log
  /** The second factor is kept beside it. Absent: there is none. */
  readonly configPath?: string | undefined
}

/** Throws on an unusable password hash and on an invalid proxy address: they could lock the operator out or let others in. */
export function createAdminAuth({ auth, trustedProxies, clock, log, configPath }: AdminAuthOptions): AdminAuth {
  const { enabled, username, password_hash: passwordHash = '', session_secret: secret = '', session_ttl: ttlMs } = auth
  const hashProblem = enabled ? explainBadHash(passwordHash) : undefined
  if (hashProblem) throw new Error(`admin.auth.password_hash cannot be used: ${hashProblem}`)
  const secondFactor = new SecondFactor(configPath === undefined ? undefined : factorPath(configPath), clock)
  const trail = new AuditTrail()
  const audit = createAudit(log, trail.add)
  return {
    enabled,
    signIn: new SignIn({ username, passwordHash }, { clock, audit, secondFactor }),
    sessions: new Sessions({ username, secret, ttlMs }, clock),
    resolveOrigin: createOriginResolver(trustedProxies),
    audit,
    trail,
    offers: [],
  }
}
