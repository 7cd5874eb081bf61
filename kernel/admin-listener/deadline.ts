/** Deadlines of requests. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { kernelErrors } from '../errors.ts'
import { adminLimits } from './admin-limits.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Longest time in ms from the headers to the end of body and answer: `none` for streams without end. Default: 30 s. */
    readonly deadlineMs?: number | 'none'
  }
}

/**
 * Starts the default deadline of a request that is not authenticated yet; it ends when the answer is sent and the body is read. Call
 * the result after authentication, to apply the route's own deadline.
 */
export function startDeadline(request: FastifyRequest, reply: FastifyReply): () => void {
  const { raw } = request
  let timer = schedule(adminLimits.adminRequestMs)
  let open = 2
  const end = () => {
    // An answered request stays active while its body arrives: unread bodies are drained within the deadline.
    if (--open === 0) clearTimeout(timer)
  }
  raw.once('close', end)
  reply.raw.once('close', end)
  return () => {
    const own = request.routeOptions.config.deadlineMs
    if (own === undefined || open === 0) return
    clearTimeout(timer)
    if (own !== 'none') timer = schedule(own)
  }

  function schedule(ms: number) {
    return setTimeout(() => expire(request, reply), ms).unref()
  }
}

function expire(request: FastifyRequest, reply: FastifyReply): void {
  if (reply.raw.headersSent || reply.sent) {
    request.raw.destroy()
    reply.raw.destroy()
    return
  }
  const error = request.raw.complete ? kernelErrors.deadline_exceeded() : kernelErrors.request_timeout()
  void reply.header('connection', 'close').send(error)
}
