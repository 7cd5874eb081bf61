/** @walk put 5: authenticates, finds the operation and asks for its permission */
import { authenticate } from '../auth/authenticate.ts'
import { permissionsOf } from '../auth/permissions.ts'
import type { S3Answer, S3Request } from '../operations/operation.ts'
import type { S3Signer } from '../users/signer.ts'
import { answerForm } from './answer-form.ts'
import { type AnswerDeps, findUserIn, type IncomingRequest, openBody } from './incoming-request.ts'
import { routeOperation } from './router.ts'
import { runOperation } from './run-operation.ts'

/**
 * Authenticates, routes, authorizes and runs the operation. The order decides which error clients see.
 * Throws S3Error, or errors of storage.
 */
export async function answerRequest(incoming: IncomingRequest, context: AnswerDeps): Promise<S3Answer> {
  // Browsers sign no preflight, also when its URL is presigned for the request that follows.
  const authentication = incoming.method === 'OPTIONS' ? undefined : await authenticateRequest(incoming, context)
  if (authentication === undefined) incoming.admitted.beUnauthenticated()
  else {
    incoming.admitted.authenticate(authentication.user.accessKey)
    context.noteUse(authentication.user.accessKey)
  }
  const headers = authentication?.headers ?? incoming.headers
  const operation = routeOperation({ method: incoming.method, target: incoming.target, headers })
  incoming.notes.operation = operation.name
  const request: S3Request = {
    method: incoming.method,
    query: incoming.target.query,
    headers,
    caller: authentication?.user,
    ...permissionsOf(authentication?.user, context.accessLists),
    now: incoming.now,
    clientSignal: incoming.clientSignal,
    holdMemory: incoming.holdMemory,
    resourceUrl: `${incoming.origin}${incoming.target.rawPath}`,
    openBody: async (options) => {
      if (operation.body === undefined) throw new Error(`the row of ${operation.name} names no body, but its handler reads one`)
      if (operation.body === 'document') incoming.wire.requireWithin(incoming.limits.documentMs)
      return openBody(context, { wire: incoming.wire, headers, authentication, ...options })
    },
  }
  if (operation.body === 'form') return answerForm(operation, request, incoming, context)
  return runOperation(operation, request, incoming.target.place, context)
}

function authenticateRequest(incoming: IncomingRequest, context: AnswerDeps) {
  const { method, target, headers, now } = incoming
  const findUser = findUserIn(incoming, context)
  const { rawPath, rawQuery, query } = target
  return authenticate<S3Signer>({ method, rawPath, rawQuery, query, headers, now, region: context.settings.region, findUser })
}
