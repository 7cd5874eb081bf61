import type { Headers } from '../wire/headers.ts'
import { invalidArgument, S3Error } from '../wire/s3-error.ts'
import type { Place, S3Target } from '../wire/target.ts'
import {
  bucketMethods,
  bucketSubResources,
  type MethodTable,
  methodsOf,
  objectMethods,
  objectSubResources,
  operationOf,
  serviceMethods,
  uploadMethods,
} from './sub-resources.ts'

interface RoutedRequest {
  readonly method: string
  readonly target: S3Target
  readonly headers: Headers
}

/**
 * Returns the name of the requested operation, such as GetObject. Covers unsupported operations too, so that none is mistaken for another.
 * Throws MethodNotAllowed, InvalidArgument or PreconditionFailed.
 */
export function routeOperation({ method, target, headers }: RoutedRequest): string {
  const copySource = headers.get('x-amz-copy-source')
  if (copySource !== undefined && method !== 'PUT') {
    throw invalidArgument('x-amz-copy-source', copySource, 'You can only specify a copy source header for copy requests.')
  }
  if (method === 'OPTIONS') return 'CorsPreflight'
  const { place, query } = target
  if (place.kind === 'service') return choose(serviceMethods, method, 'SERVICE')
  if (place.kind === 'bucket') return routeBucket(method, query, headers)
  return routeObject(method, query, headers)
}

type Query = ReadonlyMap<string, string>

function routeBucket(method: string, query: Query, headers: Headers): string {
  const table = subResource(bucketSubResources, query)
  if (table !== undefined) return choose(table, method, 'BUCKET')
  if (method === 'POST') {
    if (headers.get('content-type')?.toLowerCase().startsWith('multipart/form-data')) return 'PostObject'
    throw new S3Error('PreconditionFailed', { extras: { Condition: 'Bucket POST must be of the enclosure-type multipart/form-data' } })
  }
  const operation = choose(bucketMethods, method, 'BUCKET')
  return operation === 'ListObjects' && query.get('list-type') === '2' ? 'ListObjectsV2' : operation
}

function routeObject(method: string, query: Query, headers: Headers): string {
  const table = query.has('uploadId') ? uploadMethods : subResource(objectSubResources, query)
  const operation = choose(table ?? objectMethods, method, 'OBJECT')
  if (operation === 'UploadPart') return routePart(query, headers)
  if (operation !== 'PutObject') return operation
  if (query.has('partNumber')) {
    throw invalidArgument('uploadId', '', 'This operation does not accept a part number without an upload ID.')
  }
  return headers.has('x-amz-copy-source') ? 'CopyObject' : operation
}

function routePart(query: Query, headers: Headers): string {
  if (!query.has('partNumber')) throw invalidArgument('partNumber', '', 'This operation needs a part number with its upload ID.')
  return headers.has('x-amz-copy-source') ? 'UploadPartCopy' : 'UploadPart'
}

function subResource(tables: ReadonlyMap<string, MethodTable>, query: Query): MethodTable | undefined {
  for (const name of query.keys()) {
    const table = tables.get(name)
    if (table !== undefined) return table
  }
  return undefined
}

function choose(table: MethodTable, method: string, resourceType: string): string {
  const operation = operationOf(table, method)
  if (operation !== undefined) return operation
  throw new S3Error('MethodNotAllowed', { extras: { Method: method, ResourceType: resourceType }, headers: { allow: methodsOf(table) } })
}

/** For logs and for the Resource element of errors. */
export function describePlace(place: Place): string {
  if (place.kind === 'service') return '/'
  return place.kind === 'bucket' ? `/${place.bucket}` : `/${place.bucket}/${place.key}`
}
