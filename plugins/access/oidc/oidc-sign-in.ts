import { type Clock, defineService, type Log } from '#kernel'
import type { AdminAuth } from '#kernel/system'
import { ProviderUnreachable } from './bounded-fetch.ts'
import type { SignInProblem } from './oidc-api.ts'
import { OidcProvider, type OidcSettings, type Person } from './oidc-provider.ts'
import { type PendingSignIn, PendingSignIns } from './pending-sign-in.ts'

/** Requests to the provider at the same time; each has a deadline. */
const runningMax = 16

interface SignInDeps {
  readonly settings: OidcSettings
  readonly clock: Clock
  readonly log: Log
  /** Absent in commands that have no listener. */
  readonly adminAuth: AdminAuth | undefined
}

/** Sign-in at the identity provider. Without a configured one, or without authentication, `isOn` is false. */
export class OidcSignIn {
  readonly isOn: boolean
  readonly provider: OidcProvider
  readonly #deps: SignInDeps
  readonly #pending: PendingSignIns
  #running = 0

  constructor(deps: SignInDeps) {
    const { settings, clock, adminAuth } = deps
    this.#deps = deps
    this.#pending = new PendingSignIns(clock)
    this.provider = new OidcProvider(settings, clock)
    this.isOn = adminAuth?.enabled === true && settings.issuer !== ''
  }

  /** Sessions of this provider are valid from now on, and the sign-in page offers it. */
  offer(path: string): void {
    const { adminAuth, settings } = this.#deps
    if (!this.isOn || !adminAuth) return
    adminAuth.sessions.accept(this.provider.realm)
    adminAuth.offers.push({ label: settings.label, path })
  }

  begin(returnTo: string): Promise<{ readonly location: string; readonly cookie: string } | SignInProblem> {
    return this.#bounded(async () => {
      const { location, pending } = await this.provider.begin()
      return { location, cookie: this.#pending.seal({ ...pending, returnTo }) }
    })
  }

  /** The person who came back, once per begun sign-in. */
  finish(answer: URLSearchParams, cookie: string | undefined): Promise<(Person & { readonly returnTo: string }) | SignInProblem> {
    const pending: PendingSignIn | undefined = this.#pending.take(cookie)
    if (!pending) return Promise.resolve('expired')
    return this.#bounded(async () => ({ ...(await this.provider.finish(answer, pending)), returnTo: pending.returnTo }))
  }

  async #bounded<T>(work: () => Promise<T>): Promise<T | SignInProblem> {
    if (this.#running >= runningMax) return 'busy'
    this.#running++
    try {
      return await work()
    } catch (error) {
      const { AuthorizationResponseError } = await import('oauth4webapi')
      if (error instanceof AuthorizationResponseError && error.error === 'access_denied') return 'cancelled'
      // I-10: the errors of the library keep tokens in their cause, so only message and code are written.
      const { message, code } = error as { readonly message: string; readonly code?: string }
      this.#deps.log.warn('a sign-in at the identity provider failed', { reason: message, code })
      return error instanceof ProviderUnreachable ? 'unreachable' : 'refused'
    } finally {
      this.#running--
    }
  }
}

export const oidcSignIn = defineService<OidcSignIn>('access.oidc')
