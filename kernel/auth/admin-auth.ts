import type { SettingValues } from '../config/section.ts'
import type { Clock } from '../core/clock.ts'
import type { adminAuthSection } from './admin-settings.ts'
import type { Audit } from './audit.ts'
import { explainBadHash } from './password.ts'
import { Sessions } from './sessions.ts'
import { SignIn } from './sign-in.ts'
import { createOriginResolver, type OriginResolver } from './trusted-proxy.ts'

/** Dependencies of authentication, shared by the guard and the routes. */
export interface AdminAuth {
  readonly enabled: boolean
  readonly signIn: SignIn
  readonly sessions: Sessions
  readonly resolveOrigin: OriginResolver
}

interface AdminAuthOptions {
  readonly auth: SettingValues<typeof adminAuthSection.keys>
  readonly trustedProxies: readonly string[]
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  readonly audit: Audit
}

/** Throws on an unusable password hash and on an invalid proxy address: they could lock the operator out or let others in. */
export function createAdminAuth({ auth, trustedProxies, clock, audit }: AdminAuthOptions): AdminAuth {
  const { enabled, username, password_hash: passwordHash = '', session_secret: secret = '', session_ttl: ttlMs } = auth
  const hashProblem = enabled ? explainBadHash(passwordHash) : undefined
  if (hashProblem) throw new Error(`admin.auth.password_hash cannot be used: ${hashProblem}`)
  return {
    enabled,
    signIn: new SignIn({ username, passwordHash }, { clock, audit }),
    sessions: new Sessions({ username, secret, ttlMs }, clock),
    resolveOrigin: createOriginResolver(trustedProxies),
  }
}
