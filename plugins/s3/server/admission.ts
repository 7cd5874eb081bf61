import type { Client, Connection } from '#kernel/server'
import { S3Error } from '../wire/s3-error.ts'
import type { RequestLimits } from './request-limits.ts'

interface AdmissionOptions {
  /** Running requests. */
  readonly requestsMax: number
  /** Running requests of one client. */
  readonly perClientMax: number
  /** Share of one client in the connections. */
  readonly clientShare: number
  readonly limits: Pick<RequestLimits, 'unauthenticatedPercent' | 'unauthenticatedPerClientPercent' | 'requestsPerUserPercent'>
}

/** The places of running requests. Those without a verified signature have only a part of them, so that others always find one. */
export class Admission {
  readonly #requestsMax: number
  readonly #perClientMax: number
  readonly #unauthenticatedMax: number
  readonly #unauthenticatedPerClientMax: number
  readonly #perUserMax: number
  readonly #requestsOfUsers = new Map<string, number>()
  #running = 0
  #unauthenticated = 0

  constructor({ requestsMax, perClientMax, clientShare, limits }: AdmissionOptions) {
    this.#requestsMax = requestsMax
    this.#perClientMax = perClientMax
    this.#unauthenticatedMax = partOf(requestsMax, limits.unauthenticatedPercent)
    const unauthenticatedShare = Math.max(limits.unauthenticatedPerClientPercent, clientShare * 100)
    this.#unauthenticatedPerClientMax = partOf(this.#unauthenticatedMax, unauthenticatedShare)
    this.#perUserMax = partOf(requestsMax, limits.requestsPerUserPercent)
  }

  /** Returns undefined when the request is refused. */
  enter(connection: Connection): Admitted | undefined {
    const { client } = connection
    if (this.#running >= this.#requestsMax || client.requests >= this.#perClientMax) return undefined
    this.#running += 1
    client.beginRequest()
    return new Admitted(this, connection)
  }

  leave(client: Client): void {
    this.#running -= 1
    client.endRequest()
  }

  /** False: the user has too many. */
  enterUser(user: string): boolean {
    const count = this.#requestsOfUsers.get(user) ?? 0
    if (count >= this.#perUserMax) return false
    this.#requestsOfUsers.set(user, count + 1)
    return true
  }

  leaveUser(user: string): void {
    const count = this.#requestsOfUsers.get(user) ?? 0
    if (count > 1) this.#requestsOfUsers.set(user, count - 1)
    else this.#requestsOfUsers.delete(user)
  }

  /** False: there are too many. */
  enterUnauthenticated(client: Client): boolean {
    if (this.#unauthenticated >= this.#unauthenticatedMax) return false
    if (client.unauthenticatedRequests >= this.#unauthenticatedPerClientMax) return false
    this.#unauthenticated += 1
    client.unauthenticatedRequests += 1
    return true
  }

  leaveUnauthenticated(client: Client): void {
    this.#unauthenticated -= 1
    client.unauthenticatedRequests -= 1
  }
}

const partOf = (count: number, percent: number): number => Math.ceil((count * percent) / 100)

/** The place of one running request. */
export class Admitted {
  readonly #admission: Admission
  readonly #connection: Connection
  #isUnauthenticated = false
  #user: string | undefined
  #hasLeft = false

  constructor(admission: Admission, connection: Connection) {
    this.#admission = admission
    this.#connection = connection
  }

  /** The request has no signature, or none yet. Throws SlowDown. */
  beUnauthenticated(): void {
    if (!this.#admission.enterUnauthenticated(this.#connection.client)) throw tooManyRequests()
    this.#isUnauthenticated = true
  }

  /** Its signature was verified. Throws SlowDown. `user`: the access key. */
  authenticate(user: string): void {
    this.#connection.trust()
    this.#leaveUnauthenticated()
    if (!this.#admission.enterUser(user)) throw tooManyRequests()
    this.#user = user
  }

  /** The request is answered; what remains is only waiting for its client. */
  leave(): void {
    if (this.#hasLeft) return
    this.#hasLeft = true
    this.#leaveUnauthenticated()
    if (this.#user !== undefined) this.#admission.leaveUser(this.#user)
    this.#admission.leave(this.#connection.client)
  }

  #leaveUnauthenticated(): void {
    if (!this.#isUnauthenticated) return
    this.#isUnauthenticated = false
    this.#admission.leaveUnauthenticated(this.#connection.client)
  }
}

export const tooManyRequests = (): S3Error => new S3Error('SlowDown', { headers: { 'retry-after': '1' } })
