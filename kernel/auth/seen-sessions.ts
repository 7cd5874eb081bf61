import type { Role } from '../http/role-policy.ts'
import { familyKey } from './session-family.ts'
import type { SessionClaims } from './session-token.ts'

export const seenSessionsMax = 4096

/** A login family that sent a request since the start of the process. */
export interface SeenSession {
  /** Hash of the family: reveals nothing that a cookie needs. */
  readonly id: string
  readonly username: string
  readonly role: Role
  /** `external`: signed in at an identity provider. */
  readonly how: 'password' | 'external'
  readonly signedInAtMs: number
  /** Time at which it ends without a further renewal. */
  readonly expiresAtMs: number
  /** The latest expiry of a token of the family. */
  readonly untilMs: number
  readonly seenAtMs: number
  /** Address of the latest request. */
  readonly client: string
}

/** Tokens carry everything that a session needs, so the server knows only those that it sees. The least recent is forgotten first. */
export class SeenSessions {
  readonly #byId = new Map<string, SeenSession>()

  note(claims: SessionClaims, client: string, nowMs: number): void {
    const id = familyKey(claims.session_id)
    const before = this.#byId.get(id)
    const expiresAtMs = Math.max(claims.expires_at * 1000, before?.expiresAtMs ?? 0)
    this.#byId.delete(id)
    const oldest = this.#byId.keys().next()
    if (this.#byId.size >= seenSessionsMax && !oldest.done) this.#byId.delete(oldest.value)
    this.#byId.set(id, {
      id,
      username: claims.username,
      role: claims.role ?? 'admin',
      how: claims.realm === undefined ? 'password' : 'external',
      signedInAtMs: (claims.signed_in_at ?? claims.issued_at) * 1000,
      expiresAtMs,
      untilMs: Math.max(expiresAtMs, nowMs + (claims.expires_at - claims.issued_at) * 1000),
      seenAtMs: nowMs,
      client,
    })
  }

  forget(id: string): void {
    this.#byId.delete(id)
  }

  find(id: string): SeenSession | undefined {
    return this.#byId.get(id)
  }

  /** Sessions that have not expired, most recent first. */
  list(nowMs: number): readonly SeenSession[] {
    return [...this.#byId.values()].filter(({ expiresAtMs }) => expiresAtMs > nowMs).reverse()
  }
}
