import { createHash, randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { writePrivateFile } from '../../config/file.ts'
import type { Clock } from '../../core/clock.ts'
import { isSameText } from '../same-text.ts'
import { fromBase32, toBase32 } from './base32.ts'
import { readFactorFile, type StoredFactor } from './factor-file.ts'
import { findTotpStep } from './totp.ts'

export const factorLimits = {
  recoveryCodes: 10,
  /** Time to enter the first code after the secret was shown. */
  enrolMs: 10 * 60_000,
  /** Wrong first codes for one secret. */
  enrolTries: 5,
} as const

const [secretBytes, recoveryBytes, scriptBytes] = [20, 10, 32]

/** What turning it on shows, once. */
interface Issued {
  readonly recoveryCodes: readonly string[]
  /** HTTP Basic takes it in place of the operator's password. */
  readonly scriptPassword: string
}

/** The second factor of the local admin: one file beside the configuration, which is there only while it is on. */
export class SecondFactor {
  readonly #path: string | undefined
  readonly #clock: Pick<Clock, 'now'>
  #stored: StoredFactor | undefined
  #enrolling: { readonly secret: string; readonly untilMs: number; triesLeft: number } | undefined

  /** Throws on a file that cannot be read: without it a password alone would be enough. `path`: undefined where no factor can be kept. */
  constructor(path: string | undefined, clock: Pick<Clock, 'now'>) {
    this.#path = path
    this.#clock = clock
    this.#stored = path === undefined ? undefined : readFactorFile(path)
  }

  get isOn(): boolean {
    return this.#stored !== undefined
  }

  get recoveryCodesLeft(): number {
    return this.#stored?.recovery.length ?? 0
  }

  /** Whether the code is right. Marks it as used, durably, if `mayUse`; so a code that came with a wrong password stays good. */
  check(code: string, { mayUse }: { readonly mayUse: boolean }): boolean {
    const stored = this.#stored
    if (!stored) return false
    const step = findTotpStep(fromBase32(stored.secret), code, { nowMs: this.#clock.now(), lastStep: stored.lastStep })
    const hash = hashOf(normalize(code))
    const isRecovery = stored.recovery.filter((one) => isSameText(one, hash)).length > 0
    const isRight = step !== undefined || isRecovery
    if (isRight && mayUse) {
      this.#save(
        step === undefined ? { ...stored, recovery: stored.recovery.filter((one) => one !== hash) } : { ...stored, lastStep: step },
      )
    }
    return isRight
  }

  isScriptPassword(password: string): boolean {
    return this.#stored !== undefined && isSameText(hashOf(password), this.#stored.script)
  }

  /** A new secret; it counts only after `confirm`. */
  begin(): string {
    const secret = toBase32(randomBytes(secretBytes))
    this.#enrolling = { secret, untilMs: this.#clock.now() + factorLimits.enrolMs, triesLeft: factorLimits.enrolTries }
    return secret
  }

  /** Whether a secret waits for its first code. */
  get isEnrolling(): boolean {
    return this.#enrolling !== undefined && this.#enrolling.untilMs > this.#clock.now()
  }

  /** Turns it on, if the code is of the new secret; undefined otherwise. After several wrong codes the secret counts no longer. */
  confirm(code: string): Issued | undefined {
    const enrolling = this.#enrolling
    const nowMs = this.#clock.now()
    if (!enrolling || this.isOn || !this.isEnrolling) return undefined
    const step = findTotpStep(fromBase32(enrolling.secret), code, { nowMs, lastStep: 0 })
    if (step === undefined) {
      enrolling.triesLeft--
      if (enrolling.triesLeft === 0) this.#enrolling = undefined
      return undefined
    }
    const recoveryCodes = Array.from({ length: factorLimits.recoveryCodes }, newRecoveryCode)
    const scriptPassword = randomBytes(scriptBytes).toString('base64url')
    this.#save({
      secret: enrolling.secret,
      recovery: recoveryCodes.map((one) => hashOf(normalize(one))),
      script: hashOf(scriptPassword),
      lastStep: step,
    })
    this.#enrolling = undefined
    return { recoveryCodes, scriptPassword }
  }

  remove(): void {
    if (this.#path !== undefined) rmSync(this.#path, { force: true })
    this.#stored = undefined
  }

  /** The file first: what the answer promises must outlive the process. */
  #save(next: StoredFactor): void {
    if (this.#path === undefined) throw new Error('the second factor has no file')
    writePrivateFile(this.#path, `${JSON.stringify(next, null, 2)}\n`)
    this.#stored = next
  }
}

/** Random texts of 80 bits and more need no slow hash. */
const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** `ABCD-EFGH-IJKL-MNOP`. */
const newRecoveryCode = (): string => (toBase32(randomBytes(recoveryBytes)).match(/.{4}/g) ?? []).join('-')

const normalize = (code: string): string => code.replaceAll(/[\s-]/g, '').toUpperCase()
