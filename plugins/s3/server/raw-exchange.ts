import type { RequestListener } from 'node:http'
import { S3Error } from '../wire/s3-error.ts'
import { type ExchangeDeps, handleRequest } from './exchange.ts'

interface RawExchangeOptions {
  readonly context: ExchangeDeps
  /** Running requests; further ones get SlowDown. */
  readonly requestsMax: number
}

/** Handles each request of Node's server. Fastify, which would find a route for it first, does not see it. */
export function rawExchange({ context, requestsMax }: RawExchangeOptions): RequestListener {
  let running = 0
  return async (request, response) => {
    running += 1
    const busy = running > requestsMax ? tooManyRequests() : undefined
    try {
      await handleRequest(request, response, context, busy)
    } catch (error) {
      // A defect: errors of requests are answered.
      context.log.error('S3 request failed', { method: request.method, error })
      response.destroy()
    } finally {
      running -= 1
    }
  }
}

const tooManyRequests = (): S3Error => new S3Error('SlowDown', { headers: { 'retry-after': '1' } })
