import type { Clock } from '../core/clock.ts'
import { AccountBudget } from './account-budget.ts'

export const signInLimits = {
  /** Consecutive wrong passwords before an address is blocked. */
  failuresMax: 5,
  /** Length of the block in ms from the last wrong password, inclusive. */
  blockMs: 60_000,
  /** An address without attempts is forgotten after this time. */
  memoryMs: 600_000,
  sweepMs: 60_000,
  addressesMax: 4096,
  /** Longest queue of attempts of one address. */
  waitingMax: 64,
} as const

export type Attempt =
  | { readonly kind: 'right' }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'limited'; readonly retryAfterSeconds: number }

interface Entry {
  failures: number
  blockedUntilMs: number
  lastAttemptMs: number
}

interface Line {
  last: Promise<unknown>
  length: number
}

/** `remembered`: verified recently. It passes and does not reset the failures of its address. */
export type Verification = 'right' | 'wrong' | 'remembered'

/**
 * Limits password guessing: counts wrong passwords per client address over all ways of signing in. Attempts of one address run one
 * after another, so parallel guesses count too. All addresses also share one budget, which delays.
 */
export class SignInLimiter {
  readonly #clock: Pick<Clock, 'now' | 'sleep'>
  readonly #onBlock: (address: string) => void
  readonly #account: AccountBudget
  /** Sorted by the last attempt, oldest first. */
  readonly #entries = new Map<string, Entry>()
  readonly #lines = new Map<string, Line>()
  #sweptAtMs = 0

  constructor(clock: Pick<Clock, 'now' | 'sleep'>, onBlock: (address: string) => void = () => {}) {
    this.#clock = clock
    this.#onBlock = onBlock
    this.#account = new AccountBudget(clock)
  }

  /** Runs `verify` unless the address is blocked; a block also refuses the right password. */
  attempt(address: string, verify: () => Promise<Verification>): Promise<Attempt> {
    const line = this.#lines.get(address) ?? { last: Promise.resolve(), length: 0 }
    if (line.length >= signInLimits.waitingMax) return Promise.resolve({ kind: 'limited', retryAfterSeconds: 1 })
    this.#lines.set(address, line)
    line.length++
    // The delay starts at the arrival, so that delays of queued attempts do not add up.
    const slowed = this.isBlocked(address) ? undefined : this.#slowDown()
    const decided = Promise.all([line.last, slowed])
      .then(() => this.#decide(address, verify))
      .finally(() => {
        if (--line.length === 0) this.#lines.delete(address)
      })
    // The next attempt must run also after a failure of this one.
    line.last = decided.catch(() => {})
    return decided
  }

  isBlocked(address: string): boolean {
    const entry = this.#entries.get(address)
    return entry !== undefined && this.#clock.now() <= entry.blockedUntilMs
  }

  #slowDown(): Promise<void> | undefined {
    const delayMs = this.#account.delayMs()
    return delayMs === 0 ? undefined : this.#clock.sleep(delayMs)
  }

  async #decide(address: string, verify: () => Promise<Verification>): Promise<Attempt> {
    const startMs = this.#clock.now()
    this.#sweep(startMs)
    const before = this.#entries.get(address)
    if (before && startMs <= before.blockedUntilMs) {
      this.#keep(address, { ...before, lastAttemptMs: startMs })
      return { kind: 'limited', retryAfterSeconds: secondsLeft(before.blockedUntilMs, startMs) }
    }
    if (!before && !this.#makeRoom(startMs)) return { kind: 'limited', retryAfterSeconds: signInLimits.blockMs / 1000 }
    const verification = await verify()
    if (verification === 'wrong') {
      this.#account.countFailure()
      this.#countFailure(address)
      return { kind: 'wrong' }
    }
    if (verification === 'right') this.#entries.delete(address)
    return { kind: 'right' }
  }

  #countFailure(address: string): void {
    const nowMs = this.#clock.now()
    const before = this.#entries.get(address)
    // Other addresses may have filled the table during the check.
    if (!before && !this.#makeRoom(nowMs)) return
    // The end of a block resets the failures.
    const failures = 1 + (before && before.blockedUntilMs === 0 ? before.failures : 0)
    const blockedUntilMs = failures >= signInLimits.failuresMax ? nowMs + signInLimits.blockMs : 0
    this.#keep(address, { failures, blockedUntilMs, lastAttemptMs: nowMs })
    if (blockedUntilMs > 0) this.#onBlock(address)
  }

  #keep(address: string, entry: Entry): void {
    this.#entries.delete(address)
    this.#entries.set(address, entry)
  }

  /** Drops the oldest address that is not blocked when the table is full; false when all are blocked. */
  #makeRoom(nowMs: number): boolean {
    if (this.#entries.size < signInLimits.addressesMax) return true
    for (const [address, { blockedUntilMs }] of this.#entries) {
      if (nowMs <= blockedUntilMs) continue
      this.#entries.delete(address)
      return true
    }
    return false
  }

  #sweep(nowMs: number): void {
    if (nowMs - this.#sweptAtMs < signInLimits.sweepMs) return
    this.#sweptAtMs = nowMs
    for (const [address, { lastAttemptMs, blockedUntilMs }] of this.#entries) {
      if (nowMs - lastAttemptMs > signInLimits.memoryMs && nowMs > blockedUntilMs) this.#entries.delete(address)
    }
  }
}

const secondsLeft = (untilMs: number, nowMs: number): number => Math.max(1, Math.ceil((untilMs - nowMs) / 1000))
