import { createHmac, randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Credentials } from './basic.ts'
import { signInLimits } from './rate-limit.ts'

export const proofLimits = {
  /** An address that proved credentials uses them without another verification until this time after their last use, because verification is slow by design. */
  ms: 60_000,
  /** While the address is blocked, until this time: a proof of before the block lasts as long as the block. */
  blockedMs: 60_000 + signInLimits.blockMs,
  entriesMax: 4096,
} as const

/**
 * Credentials that were verified, each for the one address that sent them: what an address may learn from an answer depends only on
 * what it proved itself. Keeps no credentials, only hashes with a key of this process.
 */
export class ProvedCredentials {
  readonly #clock: Pick<Clock, 'now'>
  readonly #key = randomBytes(32)
  /** Hash of credentials and address → time of the last use in ms. Longest unused first. */
  readonly #usedAtMs = new Map<string, number>()

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** Whether the address proved the credentials recently. A use renews the proof. */
  use(credentials: Credentials, address: string, { isBlocked }: { readonly isBlocked: boolean }): boolean {
    const id = this.#identify(credentials, address)
    const ageMs = this.#clock.now() - (this.#usedAtMs.get(id) ?? Number.NEGATIVE_INFINITY)
    // A negative age: the clock was set back, so the age is unknown.
    if (ageMs < 0 || ageMs >= (isBlocked ? proofLimits.blockedMs : proofLimits.ms)) return false
    this.#keep(id)
    return true
  }

  add(credentials: Credentials, address: string): void {
    this.#keep(this.#identify(credentials, address))
  }

  #keep(id: string): void {
    const oldest = this.#usedAtMs.keys().next()
    if (this.#usedAtMs.size >= proofLimits.entriesMax && !oldest.done) this.#usedAtMs.delete(oldest.value)
    this.#usedAtMs.delete(id)
    this.#usedAtMs.set(id, this.#clock.now())
  }

  #identify({ username, password }: Credentials, address: string): string {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([address, username.trim(), password]))
      .digest('base64')
  }
}
