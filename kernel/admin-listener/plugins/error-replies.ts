import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { readRequestPath } from '../../http/request-path.ts'
import type { Log } from '../../log/log.ts'
import { replyToError } from '../error-reply.ts'

type AnswerError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply

export const createErrorAnswer =
  (log: Log): AnswerError =>
  (error, request, reply) => {
    const path = readRequestPath(request.raw.url ?? '').raw
    const { status, retryAfterSeconds, body } = replyToError(error, { method: request.method, path, log })
    if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
    return reply.code(status).type('application/json').send(body)
  }

export const errorReplies = fp(
  async (app: FastifyInstance, { answerError }: { readonly answerError: AnswerError }) => {
    app.setErrorHandler(answerError)
  },
  { name: 'svc.error-replies' },
)
