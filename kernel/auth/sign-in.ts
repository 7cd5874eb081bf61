import { createHmac, randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { kernelErrors, type SvcError } from '../errors.ts'
import { clientNetwork } from '../http/client-network.ts'
import type { Audit, SignInOutcome } from './audit.ts'
import type { Credentials } from './basic.ts'
import { BlockedAttempts } from './blocked-attempts.ts'
import { verifyPassword } from './password.ts'
import { type Attempt, SignInLimiter, signInLimits, type Verification } from './rate-limit.ts'
import { isSameText } from './same-text.ts'

const outcomes = { right: 'accepted', wrong: 'refused', limited: 'blocked' } as const

const remembered = {
  /** Valid Basic credentials are not verified again within this time, because verification is slow by design. */
  ms: 60_000,
  entriesMax: 4096,
} as const

interface Operator {
  readonly username: string
  readonly passwordHash: string
}

interface SignInDeps {
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  readonly audit: Pick<Audit, 'signIn' | 'clientBlocked'>
}

/** Verifies the operator's password, rate-limited per client. */
export class SignIn {
  readonly #operator: Operator
  readonly #clock: Pick<Clock, 'now'>
  readonly #audit: Pick<Audit, 'signIn'>
  readonly #limiter: SignInLimiter
  readonly #blocked: BlockedAttempts
  /** Keyed hash of valid credentials → expiry. The key exists only in this process. */
  readonly #right = new Map<string, number>()
  readonly #key = randomBytes(32)

  constructor(operator: Operator, { clock, audit }: SignInDeps) {
    this.#operator = operator
    this.#clock = clock
    this.#audit = audit
    this.#blocked = new BlockedAttempts(clock)
    const block = { failures: signInLimits.failuresMax, seconds: signInLimits.blockMs / 1000 }
    this.#limiter = new SignInLimiter(clock, (client) => audit.clientBlocked({ client, ...block }))
  }

  /** For the login form. */
  async check(credentials: Credentials, clientIp: string): Promise<Attempt> {
    const attempt = await this.#limiter.attempt(clientNetwork(clientIp), () => this.#verify(credentials))
    this.#record(attempt, 'form', credentials, clientIp)
    return attempt
  }

  /** For HTTP Basic, which sends the password with every request. */
  async checkBasic(credentials: Credentials, clientIp: string): Promise<Attempt> {
    const id = this.#identify(credentials)
    if (this.#isRemembered(id)) return { kind: 'right' }
    const attempt = await this.#limiter.attempt(clientNetwork(clientIp), async () =>
      this.#isRemembered(id) ? 'remembered' : this.#verify(credentials),
    )
    if (attempt.kind === 'right') this.#remember(id)
    this.#record(attempt, 'basic', credentials, clientIp)
    return attempt
  }

  async #verify({ username, password }: Credentials): Promise<Verification> {
    // Verify the password for any name, so that the time does not reveal whether the name exists.
    const isPassword = await verifyPassword(password, this.#operator.passwordHash)
    return this.#isOperator(username) && isPassword ? 'right' : 'wrong'
  }

  #isOperator(username: string): boolean {
    return isSameText(username.trim(), this.#operator.username)
  }

  #record({ kind }: Attempt, how: SignInOutcome['how'], { username }: Credentials, client: string): void {
    const by = this.#isOperator(username) ? this.#operator.username : undefined
    const attempts = kind === 'limited' ? this.#blocked.count(clientNetwork(client)) : undefined
    if (kind === 'limited' && attempts === undefined) return
    this.#audit.signIn({ outcome: outcomes[kind], how, by, client, attempts })
  }

  /** Includes the stored hash, so that a change of the password invalidates remembered credentials. */
  #identify({ username, password }: Credentials): string {
    const text = JSON.stringify([this.#operator.passwordHash, username.trim(), password])
    return createHmac('sha256', this.#key).update(text).digest('base64')
  }

  #isRemembered(id: string): boolean {
    return this.#clock.now() < (this.#right.get(id) ?? 0)
  }

  #remember(id: string): void {
    const oldest = this.#right.keys().next()
    if (this.#right.size >= remembered.entriesMax && !oldest.done) this.#right.delete(oldest.value)
    this.#right.delete(id)
    this.#right.set(id, this.#clock.now() + remembered.ms)
  }
}

/** The error of a refused attempt. */
export function refusalOf(attempt: Attempt): SvcError | undefined {
  if (attempt.kind === 'limited') return kernelErrors.login_rate_limited({ retryAfterSeconds: attempt.retryAfterSeconds })
  if (attempt.kind === 'wrong') return kernelErrors.authentication_required({ message: 'The username or password is wrong.' })
  return undefined
}
