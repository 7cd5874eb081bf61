import { createHmac, randomBytes } from 'node:crypto'
import { BoundedMap } from '../bounded-map.ts'
import type { Clock } from '../core/clock.ts'
import type { Credentials } from './basic.ts'
import { signInLimits } from './rate-limit.ts'

export const proofLimits = {
  /** An address uses credentials that it proved for this time without another verification, which is slow by design. */
  ms: 60_000,
  /** While the address is blocked, which prevents a verification. */
  blockedMs: signInLimits.memoryMs,
  entriesMax: 4096,
} as const

/**
 * Credentials that were verified, each for the one address that sent them: what an address may learn from an answer depends only on
 * what it proved itself. Keeps no credentials, only hashes with a key of this process.
 */
export class ProvedCredentials {
  readonly #clock: Pick<Clock, 'now'>
  readonly #key = randomBytes(32)
  /** Hash of credentials and address → time of the proof in ms. */
  readonly #provedAtMs = new BoundedMap<string, number>(proofLimits.entriesMax)

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** Whether the address proved the credentials recently. While it is blocked, each use renews the proof, so that a series of blocks does not end it. */
  has(credentials: Credentials, address: string, { isBlocked }: { readonly isBlocked: boolean }): boolean {
    const id = this.#identify(credentials, address)
    const nowMs = this.#clock.now()
    const ageMs = nowMs - (this.#provedAtMs.get(id) ?? Number.NEGATIVE_INFINITY)
    // A negative age: the clock was set back, so the age is unknown.
    const isProved = ageMs >= 0 && ageMs < (isBlocked ? proofLimits.blockedMs : proofLimits.ms)
    if (isProved && isBlocked) this.#provedAtMs.set(id, nowMs)
    return isProved
  }

  clear(): void {
    this.#provedAtMs.clear()
  }

  add(credentials: Credentials, address: string): void {
    this.#provedAtMs.set(this.#identify(credentials, address), this.#clock.now())
  }

  #identify({ username, password }: Credentials, address: string): string {
    const text = JSON.stringify([address, username.trim(), password])
    return createHmac('sha256', this.#key).update(text).digest('base64')
  }
}
