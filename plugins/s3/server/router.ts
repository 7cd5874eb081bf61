import { type NamedRow, operationsAt, subResources } from '../operations/table/operation-table.ts'
import type { Headers } from '../wire/headers.ts'
import type { Query } from '../wire/query.ts'
import { invalidArgument, S3Error } from '../wire/s3-error.ts'
import type { Place, S3Target } from '../wire/target.ts'

interface RoutedRequest {
  readonly method: string
  readonly target: S3Target
  readonly headers: Headers
}

/**
 * Returns the requested operation, also one without a handler. A request that names a sub-resource is never a plain operation, at any level.
 * Throws MethodNotAllowed, InvalidArgument, InvalidRequest or PreconditionFailed.
 */
export function routeOperation({ method, target, headers }: RoutedRequest): NamedRow {
  const { place, query } = target
  refuseParameters(method, { place, query, headers })
  // A preflight asks for the permission of another request and repeats its query.
  const subResource = method === 'OPTIONS' ? undefined : findSubResource(query)
  const operations = operationsAt(place.kind, subResource)
  const candidates = operations?.get(method)
  if (!candidates) throw notAllowed({ method, place, subResource }, operations ? [...operations.keys()] : undefined)
  const operation = candidates.find(({ variant }) => variant === undefined || variant.matches(query, headers))
  if (operation) return operation
  throw new S3Error('PreconditionFailed', { extras: { Condition: 'Bucket POST must be of the enclosure-type multipart/form-data' } })
}

function findSubResource(query: Query): string | undefined {
  const names = [...query.keys()].filter((name) => subResources.has(name))
  if (names.length > 1) {
    throw new S3Error('InvalidRequest', { message: `The query names more than one sub-resource: ${names.join(', ')}.` })
  }
  return names[0]
}

interface Parameters {
  readonly place: Place
  readonly query: Query
  readonly headers: Headers
}

/** Parameters that would be ignored by the operation, although they name another subject than the one it would change. */
function refuseParameters(method: string, { place, query, headers }: Parameters): void {
  const copySource = headers.get('x-amz-copy-source')
  if (copySource !== undefined && method !== 'PUT') {
    throw invalidArgument('x-amz-copy-source', copySource, 'You can only specify a copy source header for copy requests.')
  }
  const versionId = query.get('versionId')
  if (versionId !== undefined && place.kind !== 'object') {
    throw invalidArgument('versionId', versionId, 'Only an object has versions: name its key in the path.')
  }
  const isRead = method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
  if (query.has('partNumber') && !query.has('uploadId') && !isRead) {
    throw invalidArgument('uploadId', '', 'This operation does not accept a part number without an upload ID.')
  }
  if (method === 'PUT' && query.has('uploadId') && !query.has('partNumber')) {
    throw invalidArgument('partNumber', '', 'This operation needs a part number with its upload ID.')
  }
}

interface Unrouted {
  readonly method: string
  readonly place: Place
  readonly subResource: string | undefined
}

/** `allowed`: undefined when the level has no such sub-resource. */
function notAllowed({ method, place, subResource }: Unrouted, allowed: readonly string[] | undefined): S3Error {
  const extras = { Method: method, ResourceType: place.kind.toUpperCase() }
  if (!allowed) return new S3Error('MethodNotAllowed', { message: `There is no sub-resource '${subResource}' of this resource.`, extras })
  return new S3Error('MethodNotAllowed', { extras, headers: { allow: allowed.join(', ') } })
}

/** For logs and for the Resource element of errors. */
export function describePlace(place: Place): string {
  if (place.kind === 'service') return '/'
  return place.kind === 'bucket' ? `/${place.bucket}` : `/${place.bucket}/${place.key}`
}
