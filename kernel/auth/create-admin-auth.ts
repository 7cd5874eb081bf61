import type { SettingValues } from '../config/section.ts'
import type { Clock } from '../core/clock.ts'
import type { Log } from '../log/log.ts'
import type { AdminAuth } from './admin-auth.ts'
import type { adminAuthSection } from './admin-settings.ts'
import { createAudit } from './audit.ts'
import { AuditTrail } from './audit-trail.ts'
import { isPrivateConnection } from './origin/private-connection.ts'
import { explainBadHash } from './password.ts'
import { factorPath } from './second-factor/factor-file.ts'
import { SecondFactor } from './second-factor/second-factor.ts'
import { Sessions } from './sessions.ts'
import { SignIn } from './sign-in.ts'
import { createOriginResolver } from './trusted-proxy.ts'

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
  const resolveOrigin = createOriginResolver(trustedProxies)
  const trail = new AuditTrail()
  const audit = createAudit(log, trail.add)
  return {
    enabled,
    signIn: new SignIn({ username, passwordHash }, { clock, audit, secondFactor }),
    sessions: new Sessions({ username, secret, ttlMs }, clock),
    resolveOrigin,
    isPrivate: (request) => isPrivateConnection(request, resolveOrigin),
    audit,
    trail,
    offers: [],
  }
}
