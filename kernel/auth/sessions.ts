import { type Clock, formatPreciseTime, formatTime } from '../core/clock.ts'
import { newToken } from '../ids.ts'
import type { sessionType } from './auth-api.ts'
import { readSessionCookie } from './session-cookie.ts'
import { RevokedFamilies } from './session-family.ts'
import { type SessionClaims, sealSession, unsealSession } from './session-token.ts'

export interface SessionSettings {
  readonly username: string
  readonly secret: string
  /** Lifetime of a session that is not remembered. */
  readonly ttlMs: number
}

type SessionView = typeof sessionType.infer

export interface IssuedSession {
  readonly claims: SessionClaims
  readonly token: string
}

const rememberedMs = 30 * 24 * 3_600_000
/** Shortest time between renewals; half the lifetime when that is shorter. */
const refreshAfterMs = 5 * 60_000
const tokenBytes = 32

/** Browser sessions of the operator. Renewed tokens belong to one family, which is revoked as a whole. */
export class Sessions {
  readonly #settings: SessionSettings
  readonly #clock: Pick<Clock, 'now'>
  readonly #revoked: RevokedFamilies

  constructor(settings: SessionSettings, clock: Pick<Clock, 'now'>) {
    this.#settings = settings
    this.#clock = clock
    this.#revoked = new RevokedFamilies(clock)
  }

  begin(remember: boolean): IssuedSession {
    const { username, ttlMs } = this.#settings
    const issuedAt = this.#nowSeconds()
    const lifetimeMs = remember ? Math.max(ttlMs, rememberedMs) : ttlMs
    return this.#issue({
      username,
      issued_at: issuedAt,
      expires_at: issuedAt + Math.ceil(lifetimeMs / 1000),
      csrf_token: newToken(tokenBytes),
      session_id: newToken(tokenBytes),
      ...(remember && { remember }),
    })
  }

  read(cookieHeader: string | undefined): SessionClaims | undefined {
    const token = readSessionCookie(cookieHeader)
    const claims = token === undefined ? undefined : unsealSession(token, this.#settings.secret)
    return claims && this.isCurrent(claims) ? claims : undefined
  }

  isCurrent({ username, issued_at, expires_at, session_id }: SessionClaims): boolean {
    const isAlive = expires_at > issued_at && expires_at * 1000 > this.#clock.now()
    return isAlive && username === this.#settings.username && !this.#revoked.isRevoked(session_id)
  }

  /** A new token of the same family with a fresh lifetime; undefined when it is too early. The old token stays valid until it expires. */
  renew(claims: SessionClaims): IssuedSession | undefined {
    if (this.#clock.now() < refreshAfter(claims)) return undefined
    const issuedAt = this.#nowSeconds()
    return this.#issue({ ...claims, issued_at: issuedAt, expires_at: issuedAt + lifetimeSeconds(claims) })
  }

  /** Revokes the whole family. False when the table of revoked families is full. */
  end(claims: SessionClaims): boolean {
    // The longest lifetime of a token that was just renewed.
    return this.#revoked.revoke(claims.session_id, this.#clock.now() + lifetimeSeconds(claims) * 1000)
  }

  #issue(claims: SessionClaims): IssuedSession {
    return { claims, token: sealSession(claims, this.#settings.secret) }
  }

  #nowSeconds(): number {
    return Math.floor(this.#clock.now() / 1000)
  }
}

export function viewSession(claims: SessionClaims): SessionView {
  return {
    username: claims.username,
    csrf_token: claims.csrf_token,
    expires_at: formatTime(claims.expires_at * 1000),
    refresh_after: formatPreciseTime(refreshAfter(claims)),
  }
}

export const lifetimeSeconds = ({ issued_at, expires_at }: SessionClaims): number => expires_at - issued_at

const refreshAfter = (claims: SessionClaims): number =>
  claims.issued_at * 1000 + Math.min(refreshAfterMs, (lifetimeSeconds(claims) * 1000) / 2)
