import { type Clock, formatPreciseTime, formatTime } from '../core/clock.ts'
import type { Role } from '../http/role-policy.ts'
import { newToken } from '../ids.ts'
import type { sessionType } from './auth-api.ts'
import { type SeenSession, SeenSessions } from './seen-sessions.ts'
import { readSessionCookie } from './session-cookie.ts'
import { familyKey, RevokedFamilies } from './session-family.ts'
import { type SessionClaims, sealSession, unsealSession } from './session-token.ts'

export interface SessionSettings {
  readonly username: string
  readonly secret: string
  /** Lifetime of a session that is not remembered. */
  readonly ttlMs: number
}

type SessionView = typeof sessionType.infer

interface IssuedSession {
  readonly claims: SessionClaims
  readonly token: string
}

/** A person who signed in at an identity provider. */
interface ExternalHolder {
  readonly username: string
  readonly role: Role
  /** Identifies the provider and its settings: a session ends when they change. */
  readonly realm: string
  /** Longest time until the next sign-in at the provider, renewals included. */
  readonly maxMs: number
}

const rememberedMs = 30 * 24 * 3_600_000
/** Shortest time between renewals; half the lifetime when that is shorter. */
const refreshAfterMs = 5 * 60_000
const tokenBytes = 32

/** Browser sessions of the local admin and of people of an identity provider. Renewed tokens belong to one family, which is revoked as a whole. */
export class Sessions {
  readonly #settings: SessionSettings
  readonly #clock: Pick<Clock, 'now'>
  readonly #revoked: RevokedFamilies
  readonly #seen = new SeenSessions()
  /** Accepted realms: none without the provider's plugin, or in setup mode. */
  readonly #realms = new Set<string>()

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
      signed_in_at: issuedAt,
      expires_at: issuedAt + Math.ceil(lifetimeMs / 1000),
      csrf_token: newToken(tokenBytes),
      session_id: newToken(tokenBytes),
      ...(remember && { remember }),
    })
  }

  beginExternal({ username, role, realm, maxMs }: ExternalHolder): IssuedSession {
    const issuedAt = this.#nowSeconds()
    const endsAt = issuedAt + Math.ceil(maxMs / 1000)
    return this.#issue({
      username,
      issued_at: issuedAt,
      signed_in_at: issuedAt,
      expires_at: Math.min(endsAt, issuedAt + Math.ceil(this.#settings.ttlMs / 1000)),
      ends_at: endsAt,
      csrf_token: newToken(tokenBytes),
      session_id: newToken(tokenBytes),
      role,
      realm,
    })
  }

  /** Accepts sessions of this realm from now on. */
  accept(realm: string): void {
    this.#realms.add(realm)
  }

  read(cookieHeader: string | undefined): SessionClaims | undefined {
    const token = readSessionCookie(cookieHeader)
    const claims = token === undefined ? undefined : unsealSession(token, this.#settings.secret)
    return claims && this.isCurrent(claims) ? claims : undefined
  }

  isCurrent({ username, realm, issued_at, expires_at, session_id }: SessionClaims): boolean {
    const isAlive = expires_at > issued_at && expires_at * 1000 > this.#clock.now()
    const isHolder = realm === undefined ? username === this.#settings.username : this.#realms.has(realm)
    return isAlive && isHolder && !this.#revoked.isRevoked(session_id)
  }

  /** Notes a request of a current session, for the list. */
  note(claims: SessionClaims, client: string): void {
    this.#seen.note(claims, client, this.#clock.now())
  }

  list(): readonly SeenSession[] {
    return this.#seen.list(this.#clock.now())
  }

  find(id: string): SeenSession | undefined {
    return this.#seen.find(id)
  }

  /** Ends the family with this id of the list, which may belong to another person. False when the table of revoked families is full. */
  endById(id: string, untilMs: number): boolean {
    this.#seen.forget(id)
    return this.#revoked.revokeKey(id, untilMs)
  }

  /** A new token of the same family with a fresh lifetime; undefined when it is too early. The old token stays valid until it expires. */
  renew(claims: SessionClaims): IssuedSession | undefined {
    if (this.#clock.now() < refreshAfter(claims)) return undefined
    const issuedAt = this.#nowSeconds()
    const expiresAt = Math.min(issuedAt + lifetimeSeconds(claims), claims.ends_at ?? Number.POSITIVE_INFINITY)
    if (expiresAt <= claims.expires_at && claims.ends_at !== undefined) return undefined
    return this.#issue({ ...claims, issued_at: issuedAt, expires_at: expiresAt })
  }

  /** Revokes the whole family. False when the table of revoked families is full. */
  end(claims: SessionClaims): boolean {
    this.#seen.forget(familyKey(claims.session_id))
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
    ...(claims.role !== undefined && claims.role !== 'admin' && { role: claims.role }),
  }
}

const lifetimeSeconds = ({ issued_at, expires_at }: SessionClaims): number => expires_at - issued_at

const refreshAfter = (claims: SessionClaims): number =>
  claims.issued_at * 1000 + Math.min(refreshAfterMs, (lifetimeSeconds(claims) * 1000) / 2)
