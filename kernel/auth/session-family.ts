import { createHash } from 'node:crypto'
import type { Clock } from '../core/clock.ts'

export const familyLimits = { revokedMax: 4096, sweepMs: 60_000 } as const

/**
 * Revoked login families: their tokens, renewed ones included, are invalid.
 * In memory only: the cookie itself was removed at the logout.
 */
export class RevokedFamilies {
  readonly #clock: Pick<Clock, 'now'>
  /** SHA-256 of the session id → latest possible expiry of its tokens. */
  readonly #untilMs = new Map<string, number>()
  #sweptAtMs = 0

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** False when the table is full of families that have not expired. */
  revoke(sessionId: string, untilMs: number): boolean {
    return this.revokeKey(familyKey(sessionId), untilMs)
  }

  /** The same for a family of which only the key is known. */
  revokeKey(key: string, untilMs: number): boolean {
    const nowMs = this.#clock.now()
    const isFull = this.#untilMs.size >= familyLimits.revokedMax
    if (isFull || nowMs - this.#sweptAtMs >= familyLimits.sweepMs) this.#sweep(nowMs)
    if (this.#untilMs.size >= familyLimits.revokedMax && !this.#untilMs.has(key)) return false
    this.#untilMs.set(key, Math.max(untilMs, this.#untilMs.get(key) ?? 0))
    return true
  }

  isRevoked(sessionId: string): boolean {
    return this.#untilMs.has(familyKey(sessionId))
  }

  #sweep(nowMs: number): void {
    this.#sweptAtMs = nowMs
    for (const [key, untilMs] of this.#untilMs) if (untilMs < nowMs) this.#untilMs.delete(key)
  }
}

/** Hashed, so that a memory dump holds no usable part of a session. */
export const familyKey = (sessionId: string): string => createHash('sha256').update(sessionId).digest('base64url')
