import type { RequestHandler } from '#kernel/server'
import type { Admission } from './admission.ts'
import { type ExchangeDeps, handleRequest } from './exchange.ts'

/** Handles each request of Node's server; those above the limits of `admission` get SlowDown. */
export function rawExchange(context: ExchangeDeps, admission: Admission): RequestHandler {
  return async (request, response, connection) => {
    const admitted = admission.enter(connection)
    try {
      await handleRequest({ request, response, client: connection.client, admitted }, context)
    } catch (error) {
      // A defect: errors of requests are answered.
      context.log.error('S3 request failed', { method: request.method, error })
      response.destroy()
    } finally {
      admitted?.leave()
    }
  }
}
