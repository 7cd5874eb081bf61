/** A sign-in that was begun: kept by the browser that began it, in a sealed cookie, and used once. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { BoundedMap, type Clock } from '#kernel'
import { type } from '#kernel/schema'

export const pendingLimits = {
  /** Time to sign in at the provider. */
  ms: 10 * 60_000,
  usedMax: 4096,
} as const

const pendingType = type({ state: 'string', nonce: 'string', verifier: 'string', returnTo: 'string', untilMs: 'number' })
export type PendingSignIn = typeof pendingType.infer

const [ivBytes, tagBytes] = [12, 16]

/** The key is made for each process: a restart ends the sign-ins that were begun. */
export class PendingSignIns {
  readonly #clock: Pick<Clock, 'now'>
  readonly #key = randomBytes(32)
  readonly #used = new BoundedMap<string, true>(pendingLimits.usedMax)

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  seal(pending: Omit<PendingSignIn, 'untilMs'>): string {
    const iv = randomBytes(ivBytes)
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv)
    const text = JSON.stringify({ ...pending, untilMs: this.#clock.now() + pendingLimits.ms })
    return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url')
  }

  /** The sign-in that this cookie began; undefined when it is old, was used, or is not ours. */
  take(cookie: string | undefined): PendingSignIn | undefined {
    const pending = cookie === undefined ? undefined : this.#open(cookie)
    if (!pending || pending.untilMs <= this.#clock.now() || this.#used.get(pending.state)) return undefined
    this.#used.set(pending.state, true)
    return pending
  }

  #open(cookie: string): PendingSignIn | undefined {
    const bytes = Buffer.from(cookie, 'base64url')
    if (bytes.length <= ivBytes + tagBytes) return undefined
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
    decipher.setAuthTag(bytes.subarray(-tagBytes))
    let text: string
    try {
      text = decipher.update(bytes.subarray(ivBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
    } catch {
      // Another key or changed bytes: the cookie is of another process or forged, and counts as absent.
      return undefined
    }
    return pendingType.assert(JSON.parse(text))
  }
}
