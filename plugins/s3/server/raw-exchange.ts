import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { S3Error } from '../wire/s3-error.ts'
import { type ExchangeDeps, handleRequest } from './exchange.ts'

interface RawExchangeOptions {
  readonly context: ExchangeDeps
  /** Running requests; further ones get SlowDown. */
  readonly requestsMax: number
}

/** A hook handles every request, so that Fastify parses none. */
export const rawExchange = fp(
  async (app: FastifyInstance, { context, requestsMax }: RawExchangeOptions) => {
    app.removeAllContentTypeParsers()
    let running = 0
    app.addHook('onRequest', async (request, reply) => {
      reply.hijack()
      running += 1
      const busy = running > requestsMax ? tooManyRequests() : undefined
      try {
        await handleRequest({ request: request.raw, response: reply.raw, url: request.originalUrl }, context, busy)
      } finally {
        running -= 1
      }
    })
  },
  { name: 's3.raw-exchange' },
)

const tooManyRequests = (): S3Error => new S3Error('SlowDown', { headers: { 'retry-after': '1' } })
