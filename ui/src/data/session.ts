/** The sign-in of this browser tab, its renewal, and what the service offers to it. */

import { ApiError } from './api-error.ts'
import { readServedBuild } from './build.ts'
import { forgetAnswers, invalidate } from './cache.ts'
import { call, csrfToken, isReachable, signOuts } from './call.ts'
import type { Answer } from './endpoints.ts'
import { reconnects, startEvents, stopEvents } from './events.ts'
import { Observable } from './observable.ts'

type Boot = 'checking' | 'login' | 'setup' | 'ready' | 'unreachable'

type Session = Answer<'GET /auth/session'>

export const boot = new Observable<Boot>('checking')
/** Is undefined while authentication is off. */
export const session = new Observable<Session | undefined>(undefined)
/** The session ended while pages are open: a sign-in above them keeps their forms. */
export const isSignedOut = new Observable(false)
/** Is undefined in setup mode, where the service does not say it. */
export const enabledPlugins = new Observable<ReadonlySet<string> | undefined>(undefined)

let latestStart = 0

/** Finds out what to show first, and again after a sign-in or when the service is back. Of several attempts only the newest counts. */
export async function startSession(): Promise<void> {
  latestStart += 1
  const attempt = latestStart
  const next = await readStart()
  if (attempt !== latestStart) return
  if (next.boot === 'ready' || next.boot === 'setup') {
    session.value = next.session
    csrfToken.value = next.session?.csrf_token ?? ''
    enabledPlugins.value = next.plugins
    if (next.boot === 'ready') startEvents()
  }
  boot.value = next.boot
}

type Start =
  | { readonly boot: 'login' | 'unreachable' }
  | { readonly boot: 'ready' | 'setup'; readonly session: Session | undefined; readonly plugins: ReadonlySet<string> | undefined }

async function readStart(): Promise<Start> {
  try {
    const [current, mode] = await Promise.all([readSession(), readMode()])
    if (current === 'signed out') return { boot: 'login' }
    if (mode === 'setup') return { boot: 'setup', session: current, plugins: undefined }
    return { boot: 'ready', session: current, plugins: await readPlugins() }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { boot: error.status === 401 ? 'login' : 'unreachable' }
  }
}

const readPlugins = async (): Promise<ReadonlySet<string>> =>
  new Set((await call('GET /system/plugins')).filter(({ enabled }) => enabled).map(({ id }) => id))

let latestLook = 0

/** The service may have started again with other plugins, or with another build of the dashboard. Of several attempts only the newest counts. */
async function lookAgain(): Promise<void> {
  if (boot.value !== 'ready') return
  latestLook += 1
  const attempt = latestLook
  try {
    const [plugins] = await Promise.all([readPlugins(), readServedBuild()])
    // The session may have ended during the requests.
    if (attempt !== latestLook || (boot.value as Boot) !== 'ready') return
    if (plugins.symmetricDifference(enabledPlugins.value ?? new Set()).size > 0) enabledPlugins.value = plugins
  } catch (error) {
    // The pages show that the service does not answer, and the next stream asks again.
    if (!(error instanceof ApiError)) throw error
  }
}

async function readSession(): Promise<Session | undefined | 'signed out'> {
  try {
    return await call('GET /auth/session')
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.status === 401) return 'signed out'
    // There are no sessions without authentication.
    if (error.status === 404) return undefined
    throw error
  }
}

/** Anyone may ask; an unhealthy service runs in full mode. */
async function readMode(): Promise<'setup' | 'full'> {
  try {
    const { status } = await call('GET /healthz')
    return status === 'setup' ? 'setup' : 'full'
  } catch (error) {
    if (error instanceof ApiError && error.status === 503) return 'full'
    throw error
  }
}

interface Credentials {
  readonly username: string
  readonly password: string
  readonly remember: boolean
  /** A code of the second factor. */
  readonly code?: string | undefined
}

/** Throws ApiError; 429 has `retryAfterSeconds`. */
export async function signIn(credentials: Credentials): Promise<void> {
  const current = await call('POST /auth/login', { body: credentials })
  session.value = current
  csrfToken.value = current.csrf_token
  if (boot.value === 'login') {
    await startSession()
    if ((boot.value as Boot) !== 'login') return
    throw new ApiError('The browser did not keep the sign-in. Allow cookies for this address, then sign in again.', {
      status: 0,
      code: 'session_not_kept',
    })
  }
  isSignedOut.value = false
  startEvents()
  invalidate()
}

/** Ends the session for every tab that shares its cookie. Throws ApiError while the cookie may still be valid. */
export async function signOut(): Promise<void> {
  renewal?.abort.abort()
  await renewal?.done
  try {
    await call('POST /auth/logout')
  } catch (error) {
    // The session had ended already.
    if (!(error instanceof ApiError) || error.status !== 401) throw error
  }
  leave()
  tellOtherTabs()
}

const signedOutKey = 'svc.signed-out'

/** Tabs of this browser share the cookie, so a sign-out is theirs too. A change of the storage reaches them at once. */
function tellOtherTabs(): void {
  try {
    localStorage.setItem(signedOutKey, String(Date.now()))
  } catch {
    // Storage is blocked: the other tabs see it with their next request.
  }
}

const leaving = new Set<() => void>()

/** For what must not outlive a sign-out, such as results that the next operator must not see. */
export const onSignOut = (forget: () => void): void => void leaving.add(forget)

function leave(): void {
  stopEvents()
  for (const forget of leaving) forget()
  forgetAnswers()
  csrfToken.value = ''
  session.value = undefined
  isSignedOut.value = false
  boot.value = 'login'
}

const renewalPauseMs = 30_000
let renewal: { readonly abort: AbortController; readonly done: Promise<void> } | undefined
let lastRenewalMs = Number.NEGATIVE_INFINITY

/** Renews the session when a person uses the page. Scripts, polling and a tab in focus never do. */
function renewOnActivity({ isTrusted }: Event): void {
  const current = session.value
  const nowMs = Date.now()
  if (!isTrusted || !current || isSignedOut.value || renewal || nowMs < Date.parse(current.refresh_after)) return
  if (nowMs - lastRenewalMs < renewalPauseMs) return
  lastRenewalMs = nowMs
  const abort = new AbortController()
  renewal = { abort, done: renew(abort.signal) }
}

async function renew(signal: AbortSignal): Promise<void> {
  try {
    const renewed = await call('POST /auth/refresh', {}, { signal })
    session.value = renewed
    csrfToken.value = renewed.csrf_token
    if (Date.parse(renewed.refresh_after) > Date.now()) lastRenewalMs = Number.NEGATIVE_INFINITY
  } catch (error) {
    // Aborted by the sign-out, or refused: a 401 shows the sign-in, and the next activity after the pause tries again.
    if (!(error instanceof ApiError) && !signal.aborted) throw error
  } finally {
    renewal = undefined
  }
}

/** Starts what runs as long as the tab. */
export function watchSession(): void {
  for (const type of ['pointerdown', 'click', 'keydown', 'wheel']) {
    addEventListener(type, renewOnActivity, { passive: true, capture: true })
  }
  signOuts.subscribe(() => {
    if (boot.value !== 'ready' && boot.value !== 'setup') return
    csrfToken.value = ''
    stopEvents()
    isSignedOut.value = true
  })
  addEventListener('storage', ({ key }) => {
    if (key === signedOutKey && (boot.value === 'ready' || boot.value === 'setup')) leave()
  })
  reconnects.subscribe(() => void lookAgain())
  isReachable.subscribe((reachable) => reachable && void lookAgain())
}
