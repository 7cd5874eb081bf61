import type { Client, Connection } from '#kernel'
import { S3Error } from '../wire/s3-error.ts'
import type { RequestLimits } from './request-limits.ts'

interface AdmissionOptions {
  /** Running requests. */
  readonly requestsMax: number
  /** Running requests of one client. */
  readonly perClientMax: number
  readonly limits: Pick<RequestLimits, 'unauthenticatedPercent' | 'unauthenticatedPerClientPercent'>
}

/** The places of running requests. Those without a verified signature have only a part of them, so that others always find one. */
export class Admission {
  readonly #requestsMax: number
  readonly #perClientMax: number
  readonly #unauthenticatedMax: number
  readonly #unauthenticatedPerClientMax: number
  #running = 0
  #unauthenticated = 0

  constructor({ requestsMax, perClientMax, limits }: AdmissionOptions) {
    this.#requestsMax = requestsMax
    this.#perClientMax = perClientMax
    this.#unauthenticatedMax = partOf(requestsMax, limits.unauthenticatedPercent)
    this.#unauthenticatedPerClientMax = partOf(requestsMax, limits.unauthenticatedPerClientPercent)
  }

  /** Undefined: the request is refused. */
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

  /** Its signature was verified. */
  authenticate(): void {
    this.#connection.trust()
    this.#leaveUnauthenticated()
  }

  /** The request is answered; what remains is only waiting for its client. */
  leave(): void {
    if (this.#hasLeft) return
    this.#hasLeft = true
    this.#leaveUnauthenticated()
    this.#admission.leave(this.#connection.client)
  }

  #leaveUnauthenticated(): void {
    if (!this.#isUnauthenticated) return
    this.#isUnauthenticated = false
    this.#admission.leaveUnauthenticated(this.#connection.client)
  }
}

export const tooManyRequests = (): S3Error => new S3Error('SlowDown', { headers: { 'retry-after': '1' } })
