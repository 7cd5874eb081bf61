/** Endpoints of the Admin API as values: one value registers the route, types the client and documents the API. */
import type { Type } from 'arktype'
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { kernelErrors } from '../errors.ts'
import { type AuditedMembers, noteSubject, subjectOfAnswer, subjectOfCall } from './audit-subject.ts'
import { type BodyOptions, parseBody, parseParams, parseQuery } from './body.ts'
import { keptRefusal } from './kept-refusal.ts'
import type { Role } from './role-policy.ts'

export interface Endpoint extends BodyOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Parameters are written `:name`. */
  readonly path: `/${string}`
  /** One line for the documentation. */
  readonly summary: string
  /** The lowest role that may use it. Every endpoint with a change declares one; default of the others: `read-only`. */
  readonly role?: Role
  readonly params?: Type
  /** Values are strings: use morphs such as `string.integer.parse` for numbers. */
  readonly query?: Type
  readonly body?: Type
  /** Media type of a body that the handler reads from `request.raw` itself. */
  readonly bodyMedia?: string
  /** An empty body counts as `{}`. */
  readonly isBodyOptional?: boolean
  /** The JSON of a success. Absent: no body, or one of type `media`. */
  readonly answer?: Type
  /** Media type of an answer that is not JSON. */
  readonly media?: string
  /** Status of a success, or 501 (not supported). Default 200. */
  readonly status?: 200 | 201 | 202 | 204 | 303 | 501
  /**
   * A further status that comes with the same answer. 200: an exact replay of a request that created something; it and 503 are sent by the
   * handler itself. 206: a range, whose status the handler sets.
   */
  readonly alsoStatus?: 200 | 206 | 503
  /** Error codes specific to this endpoint, beside those common to all. */
  readonly refusals?: readonly string[]
  /** Members that the audit log shows beside the path parameters. A GET is in the audit log only with this. */
  readonly audit?: AuditedMembers
  /** It has a body and changes nothing, such as a preview: the audit log has only its refusals for safety. */
  readonly isLook?: true
  /** Longest time from the headers to the end of the answer. Default: the deadline of every request. */
  readonly deadlineMs?: number | 'none'
}

type Read<E extends Endpoint, K extends 'params' | 'query' | 'body'> = E[K] extends Type ? E[K]['infer'] : undefined
type Sent<E extends Endpoint, K extends 'params' | 'query' | 'body'> = E[K] extends Type
  ? { readonly [key in K]: E[K]['inferIn'] }
  : unknown

/** The checked input of a handler. */
interface EndpointCall<E extends Endpoint> {
  readonly params: Read<E, 'params'>
  readonly query: Read<E, 'query'>
  readonly body: Read<E, 'body'>
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

export type EndpointAnswer<E extends Endpoint> = E['answer'] extends Type ? E['answer']['infer'] : unknown

/** The input that a client sends. */
export type EndpointRequest<E extends Endpoint> = Sent<E, 'params'> & Partial<Sent<E, 'query'>> & Sent<E, 'body'>

export function defineEndpoint<const E extends Endpoint>(spec: E): E {
  return spec
}

interface ServeOptions<E extends Endpoint> {
  /** Whether the same change was recorded before, so that it changes nothing: then a guard that compares what was shown does not refuse it. */
  isRepeat(call: EndpointCall<E>): Promise<boolean>
}

/** Registers the route of an endpoint. Params, query and body are checked in this order; what the handler returns is the answer. */
export function serveEndpoint<E extends Endpoint>(
  app: FastifyInstance,
  endpoint: E,
  handle: (call: EndpointCall<E>) => Promise<EndpointAnswer<E>>,
  options?: ServeOptions<E>,
): void {
  const { method, path, params, query, answer, status = 200, alsoStatus, audit = [] } = endpoint
  app.route({
    method,
    url: path,
    // HEAD runs the handler and discards the body, which only JSON is cheap enough for.
    exposeHeadRoute: method === 'GET' && answer !== undefined,
    config: { ...routeConfig(endpoint), ...(options && { knowsRepeats: true }) },
    async handler(request, reply) {
      // An empty name, as in `/api/v1/buckets/`, names nothing.
      if (Object.values(request.params as object).includes('')) throw kernelErrors.not_found()
      const call = {
        params: params && parseParams(params, request),
        query: query && parseQuery(query, request),
        body: await readBody(endpoint, request),
        request,
        reply,
      }
      noteSubject(request, subjectOfCall(call, audit))
      const refusal = keptRefusal(request)
      if (refusal && !(await options?.isRepeat(call as EndpointCall<E>))) throw refusal
      const result = await handle(call as EndpointCall<E>)
      noteSubject(request, subjectOfAnswer(result, audit))
      return reply.sent ? reply : reply.code(alsoStatus === 206 && reply.statusCode === 206 ? 206 : status).send(result)
    },
  })
}

const routeConfig = ({ deadlineMs, audit, isLook, role }: Endpoint): FastifyContextConfig => ({
  ...(role !== undefined && { role }),
  ...(deadlineMs !== undefined && { deadlineMs }),
  ...(isLook ? { isAudited: false } : audit !== undefined && { isAudited: true }),
})

async function readBody(endpoint: Endpoint, request: FastifyRequest): Promise<unknown> {
  if (!endpoint.body) return undefined
  if (endpoint.isBodyOptional && isEmpty(request)) return endpoint.body.assert({})
  return parseBody(endpoint.body, request, endpoint)
}

/** A request without either header has no body (RFC 9112, 6.3). */
function isEmpty({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
}
