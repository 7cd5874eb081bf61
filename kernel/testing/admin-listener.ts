import { type AdminListener, type AdminListenerOptions, startAdminListener } from '../admin-listener/admin-listener.ts'
import { hashPassword } from '../auth/password.ts'
import { systemClock } from '../core/clock.ts'
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

export interface TestListener extends AdminListener, AsyncDisposable {}

/** Starts the Admin listener without a kernel, on an ephemeral port. */
export async function startTestListener(options: Partial<AdminListenerOptions> = {}): Promise<TestListener> {
  const listener = await startAdminListener({
    mode: 'full',
    settings: { addr: '127.0.0.1:0', trusted_proxies: [] },
    auth: {
      enabled: true,
      username: testOperator.username,
      password_hash: await cheapPasswordHash(),
      session_secret: 'a session secret that only tests use',
      session_ttl: 12 * 3_600_000,
    },
    routes: [],
    health: { checks: [] },
    clock: systemClock,
    log: silentLog,
    ...options,
  })
  return { ...listener, [Symbol.asyncDispose]: () => listener.stop() }
}
