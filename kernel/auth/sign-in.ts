import type { Clock } from '../core/clock.ts'
import { kernelErrors, type SvcError } from '../errors.ts'
import { clientNetwork } from '../http/connections/client-network.ts'
import type { Audit, SignInOutcome } from './audit.ts'
import type { Credentials } from './basic.ts'
import { BlockedAttempts } from './blocked-attempts.ts'
import { verifyPassword } from './password.ts'
import { ProvedCredentials } from './proved-credentials.ts'
import { type Attempt, SignInLimiter, signInLimits, type Verification } from './rate-limit.ts'
import { isSameText } from './same-text.ts'
import type { SecondFactor } from './second-factor/second-factor.ts'

const outcomes = { right: 'accepted', wrong: 'refused', limited: 'blocked' } as const

interface Operator {
  readonly username: string
  readonly passwordHash: string
}

/** What the sign-in form sends. */
interface FormCredentials extends Credentials {
  /** A code of the app, or a recovery code, while the second factor is on. */
  readonly code?: string | undefined
}

interface SignInDeps {
  readonly secondFactor: SecondFactor
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  readonly audit: Pick<Audit, 'signIn' | 'clientBlocked'>
}

/** Verifies the operator's password, rate-limited per client. */
export class SignIn {
  readonly #operator: Operator
  readonly #audit: Pick<Audit, 'signIn'>
  readonly #limiter: SignInLimiter
  readonly #blocked: BlockedAttempts
  readonly #proved: ProvedCredentials
  readonly secondFactor: SecondFactor

  constructor(operator: Operator, { clock, audit, secondFactor }: SignInDeps) {
    this.#operator = operator
    this.secondFactor = secondFactor
    this.#audit = audit
    this.#blocked = new BlockedAttempts(clock)
    this.#proved = new ProvedCredentials(clock)
    const block = { failures: signInLimits.failuresMax, seconds: signInLimits.blockMs / 1000 }
    this.#limiter = new SignInLimiter(clock, (client) => audit.clientBlocked({ client, ...block }))
  }

  /** For the login form. While the second factor is on, password and code are judged together: neither can be guessed alone. */
  async check(credentials: FormCredentials, clientIp: string): Promise<Attempt> {
    const attempt = await this.#limiter.attempt(clientNetwork(clientIp), async () => {
      const verification = await this.#verifyPassword(credentials)
      if (!this.secondFactor.isOn) return verification
      const isCode = this.secondFactor.check(credentials.code ?? '', { mayUse: verification === 'right' })
      return isCode ? verification : 'wrong'
    })
    this.#record(attempt, 'form', credentials, clientIp)
    return attempt
  }

  /** For a change of the second factor by someone who is signed in: the same limits, and no line of a sign-in. */
  prove(
    { password, code }: { readonly password?: string | undefined; readonly code?: string | undefined },
    clientIp: string,
  ): Promise<Attempt> {
    return this.#limiter.attempt(clientNetwork(clientIp), async () => {
      if (code !== undefined) return this.secondFactor.check(code, { mayUse: true }) ? 'right' : 'wrong'
      return this.#verifyPassword({ username: this.#operator.username, password: password ?? '' })
    })
  }

  /** Proofs of the password are no longer accepted by HTTP Basic, or those of the password of scripts. */
  forgetProofs(): void {
    this.#proved.clear()
  }

  /** For HTTP Basic, which sends the password with every request. */
  async checkBasic(credentials: Credentials, clientIp: string): Promise<Attempt> {
    const network = clientNetwork(clientIp)
    // I-42: the one way past a block is a proof of this very address, so a block answers all other passwords alike.
    const isProved = () => this.#proved.has(credentials, clientIp, { isBlocked: this.#limiter.isBlocked(network) })
    if (isProved()) return { kind: 'right' }
    const attempt = await this.#limiter.attempt(network, async () => (isProved() ? 'remembered' : this.#verifyBasic(credentials)))
    if (attempt.kind === 'right') this.#proved.add(credentials, clientIp)
    this.#record(attempt, 'basic', credentials, clientIp)
    return attempt
  }

  /** The operator's password alone would pass by the second factor, so scripts have one of their own. */
  async #verifyBasic(credentials: Credentials): Promise<Verification> {
    if (!this.secondFactor.isOn) return this.#verifyPassword(credentials)
    const isScript = this.secondFactor.isScriptPassword(credentials.password)
    return this.#isOperator(credentials.username) && isScript ? 'right' : 'wrong'
  }

  async #verifyPassword({ username, password }: Credentials): Promise<Verification> {
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
}

export function refusalOf(attempt: Attempt): SvcError | undefined {
  if (attempt.kind === 'limited') return kernelErrors.login_rate_limited({ retryAfterSeconds: attempt.retryAfterSeconds })
  if (attempt.kind === 'wrong') return kernelErrors.authentication_required({ message: 'The username or password is wrong.' })
  return undefined
}
