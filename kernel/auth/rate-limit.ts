import type { Clock } from '../clock.ts'
import { AccountBudget } from './account-budget.ts'

export const signInLimits = {
  /** Consecutive wrong passwords before an address is blocked. */
  failuresMax: 5,
  /** Length of the block, counted from the last of them; its final millisecond belongs to it. */
  blockMs: 60_000,
  /** An address without attempts is forgotten after this. */
  memoryMs: 600_000,
  sweepMs: 60_000,
  addressesMax: 4096,
  /** Attempts of one address that may wait for each other. */
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

/** `remembered`: right a moment ago. It passes, and tells nothing about the failures of its address. */
export type Verification = 'right' | 'wrong' | 'remembered'

/**
 * Slows guessing down: wrong passwords are counted per client address, over every way of signing in. Attempts of one address are
 * judged one after another, so parallel guesses count like any others. Beyond that all addresses share one budget, which delays.
 */
export class SignInLimiter {
  readonly #clock: Pick<Clock, 'now' | 'sleep'>
  readonly #onBlock: (address: string) => void
  readonly #account: AccountBudget
  /** Least recently tried first. */
  readonly #entries = new Map<string, Entry>()
  readonly #lines = new Map<string, Line>()
  #sweptAtMs = 0

  constructor(clock: Pick<Clock, 'now' | 'sleep'>, onBlock: (address: string) => void = () => {}) {
    this.#clock = clock
    this.#onBlock = onBlock
    this.#account = new AccountBudget(clock)
  }

  /** Runs `verify` when the address may try now. While it is blocked even the right password is refused. */
  attempt(address: string, verify: () => Promise<Verification>): Promise<Attempt> {
    const line = this.#lines.get(address) ?? { last: Promise.resolve(), length: 0 }
    if (line.length >= signInLimits.waitingMax) return Promise.resolve({ kind: 'limited', retryAfterSeconds: 1 })
    this.#lines.set(address, line)
    line.length++
    // The delay runs from the arrival, so attempts of one address do not add theirs up.
    const slowed = this.#isBlocked(address) ? undefined : this.#slowDown()
    const decided = Promise.all([line.last, slowed])
      .then(() => this.#decide(address, verify))
      .finally(() => {
        if (--line.length === 0) this.#lines.delete(address)
      })
    // The next in line must get its turn whatever became of this one.
    line.last = decided.catch(() => {})
    return decided
  }

  #isBlocked(address: string): boolean {
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
    // Room may have gone to others while the password was checked.
    if (!before && !this.#makeRoom(nowMs)) return
    // A block that is over takes its failures with it.
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
