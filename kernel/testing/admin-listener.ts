import { type AdminListener, type AdminListenerOptions, startAdminListener } from '../admin-listener/admin-listener.ts'
import type { AdminAuth } from '../auth/admin-auth.ts'
import type { adminAuthSection } from '../auth/admin-settings.ts'
import { createAdminAuth } from '../auth/create-admin-auth.ts'
import { hashPassword } from '../auth/password.ts'
import type { SettingValues } from '../config/section.ts'
import { type Clock, systemClock } from '../core/clock.ts'
import { silentLog } from '../log/log.ts'
import { basicAuth } from './http.ts'

export const testOperator = { username: 'admin', password: 'correct horse' } as const
export const testAuthorization = basicAuth(testOperator.username, testOperator.password)

let hash: Promise<string> | undefined

/** A real hash with low cost, so that tests do not spend time on verification. */
export function cheapPasswordHash(): Promise<string> {
  hash ??= hashPassword(testOperator.password, { ln: 4, r: 8, p: 1 })
  return hash
}

export interface TestListener extends AdminListener, AsyncDisposable {
  readonly auth: AdminAuth
}

type AuthSettings = SettingValues<typeof adminAuthSection.keys>

/** Settings of `admin.auth` with a cheap password. */
const testAuthSettings = async (): Promise<AuthSettings> => ({
  enabled: true,
  username: testOperator.username,
  password_hash: await cheapPasswordHash(),
  session_secret: 'a session secret that only tests use',
  session_ttl: 12 * 3_600_000,
})

export interface TestListenerOptions extends Partial<Omit<AdminListenerOptions, 'auth'>> {
  readonly auth?: AuthSettings
  readonly clock?: Pick<Clock, 'now' | 'sleep'>
}

/** Starts the Admin listener without a kernel, on an ephemeral port. */
export async function startTestListener({ auth, ...options }: TestListenerOptions = {}): Promise<TestListener> {
  const { settings = { addr: '127.0.0.1:0', trusted_proxies: [] }, clock = systemClock, log = silentLog } = options
  const adminAuth = createAdminAuth({ auth: auth ?? (await testAuthSettings()), trustedProxies: settings.trusted_proxies, clock, log })
  const listener = await startAdminListener({
    mode: 'full',
    routes: [],
    health: { checks: [] },
    ...options,
    settings,
    log,
    auth: adminAuth,
  })
  return { ...listener, auth: adminAuth, [Symbol.asyncDispose]: () => listener.stop() }
}
