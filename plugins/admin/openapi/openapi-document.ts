/** Writes the OpenAPI document of the Admin API from the values that also register its routes. */
import { type Contributed, documentedSchema, type Endpoint, type EndpointGroup, type RouteAccess } from '#kernel/system'

type Schema = Readonly<Record<string, unknown>>
type JsonType = NonNullable<Endpoint['body']>

export interface OpenApiDocument {
  readonly openapi: string
  readonly info: Schema
  readonly paths: Readonly<Record<string, Schema>>
  readonly components: Schema
}

/** What the document depends on beside the endpoints. */
interface DocumentedService {
  readonly version: string
  readonly contributed: Contributed
}

export function writeOpenApi(groups: readonly EndpointGroup[], { version, contributed }: DocumentedService): OpenApiDocument {
  const paths: Record<string, Record<string, Schema>> = {}
  for (const { access, endpoints = [] } of groups) {
    for (const endpoint of endpoints) {
      const path = templateOf(endpoint.path)
      paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: describeOperation(endpoint, access, contributed) }
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'svc Admin API', version, description },
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic' },
        session: { type: 'apiKey', in: 'cookie', name: 'svc_admin_session' },
        csrf: { type: 'apiKey', in: 'header', name: 'X-Svc-CSRF', description: 'The csrf_token of the session.' },
      },
      schemas: { Error: errorSchema },
      responses: {
        Error: {
          description: 'A refusal or an internal error',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      },
    },
  }
}

const description = 'Times are RFC 3339 in UTC, sizes are bytes, ids and amounts of the chain are decimal texts.'

const errorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: { type: 'string', description: 'For people; its wording may change.' },
    code: { type: 'string', description: 'For programs; it never changes its meaning.' },
    fields: {
      type: 'array',
      items: { type: 'object', required: ['field', 'message'], properties: { field: { type: 'string' }, message: { type: 'string' } } },
    },
  },
}

const templateOf = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}')

function describeOperation(endpoint: Endpoint, access: RouteAccess, contributed: Contributed): Schema {
  const { method, path, summary, refusals = [], status = 200, alsoStatus } = endpoint
  const answer = describeAnswer(endpoint, contributed)
  const words = path.replace(/^(\/api\/v1)?\//, '').split('/')
  return {
    operationId: [method.toLowerCase(), ...words.map((word) => word.replace(':', 'by-'))].join('-'),
    tags: [words[0]],
    summary,
    security: securityOf(endpoint, access),
    ...(refusals.length === 0 ? {} : { description: `Codes of this operation: ${refusals.map((code) => `\`${code}\``).join(', ')}.` }),
    parameters: [...listParameters(endpoint.params, 'path', contributed), ...listParameters(endpoint.query, 'query', contributed)],
    ...describeBody(endpoint, contributed),
    responses: {
      [String(status)]: answer,
      ...(alsoStatus === undefined ? {} : { [String(alsoStatus)]: answer }),
      default: { $ref: '#/components/responses/Error' },
    },
  }
}

/** Follows the guard: every operator route also accepts Basic. */
function securityOf({ method }: Endpoint, access: RouteAccess): readonly Schema[] {
  if (access === 'open') return []
  const session = method === 'GET' ? { session: [] } : { session: [], csrf: [] }
  return access === 'session' ? [session] : [{ basic: [] }, session]
}

/** For a parameter that is parsed as a number: the schema of the number, because every parameter is sent as text. */
function listParameters(values: JsonType | undefined, place: 'path' | 'query', contributed: Contributed): readonly Schema[] {
  if (!values) return []
  const { properties = {}, required = [] } = writeSchema(values.out as JsonType, contributed) as {
    properties?: Record<string, Schema>
    required?: readonly string[]
  }
  return Object.entries(properties)
    .filter(([, schema]) => !isRemoved(schema))
    .map(([name, schema]) => ({ name, in: place, required: required.includes(name), schema }))
}

/** A parameter that is declared only to be refused. */
const isRemoved = ({ deprecated }: Schema): boolean => deprecated === true

function describeBody({ body, bodyMedia, isBodyOptional = false, unknownMembers = 'refuse' }: Endpoint, contributed: Contributed): Schema {
  if (bodyMedia !== undefined) return { requestBody: { required: true, content: { [bodyMedia]: {} } } }
  if (!body) return {}
  const sent = body.in as JsonType
  const schema = writeSchema(unknownMembers === 'refuse' ? (sent.onDeepUndeclaredKey('reject') as JsonType) : sent, contributed)
  return { requestBody: { required: !isBodyOptional, content: { 'application/json': { schema } } } }
}

function describeAnswer({ answer, media, status }: Endpoint, contributed: Contributed): Schema {
  if (status === 501) return { $ref: '#/components/responses/Error' }
  if (answer) return { description: 'Done', content: { 'application/json': { schema: writeSchema(answer, contributed) } } }
  return { description: 'Done', ...(media === undefined ? {} : { content: { [media]: {} } }) }
}

function writeSchema(values: JsonType, contributed: Contributed): Schema {
  const fallback = ({ base, predicate }: { readonly base: object; readonly predicate?: object }) => ({
    ...base,
    ...documentedSchema(predicate, contributed),
  })
  const { $schema: _dialect, ...schema } = values.toJsonSchema({ fallback: fallback as never }) as Record<string, unknown>
  return schema
}
