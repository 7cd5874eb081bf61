/**
 * @recipe an S3 operation
 * Every operation has a row in `plugins/s3/operations/table/` already; give it a `handler`, the `body` that it reads, and `notes` for what
 * differs from AWS. The handler is one file of at most about 100 lines in
 * `plugins/s3/operations/{buckets,objects,multipart,listing,configuration}/`, and its XML, if any, one file in `plugins/s3/documents/`.
 * The caller has the main action of the row when the handler runs. Ask for every further one with `request.require`, with `await`.
 * Parameters of the query are read in `wire/query.ts`. Throw `S3Error`; errors of storage are translated in `server/storage-refusals.ts`.
 * `npm run docs` updates the page of operations.
 *
 * ```ts
 * // plugins/s3/operations/configuration/put-bucket-versioning.ts; in the row: handler: putBucketVersioning
 * const bytesMax = 64 * 1024
 *
 * /** Accepts what is already so: every bucket is versioned. *\/
 * export const putBucketVersioning: Operation = {
 *   scope: 'bucket',
 *   async run(request) {
 *     // Verifies length, signature, Content-MD5 and checksum. `needsDigest: true` where S3 requires one of them, `mayBeEmpty: true` without a body.
 *     const { status } = await readXmlBody(request, versioningDocument, { bytesMax })
 *     if (status !== 'Enabled') throw new S3Error('NotImplemented', { message: 'Versioning cannot be suspended.' })
 *     return { status: 200, headers: {} }
 *   },
 * }
 *
 * // A second permission, as for the source of a copy: NoSuchBucket, then AccessDenied.
 * const source = requireBucket(services.buckets, sourceName)
 * await request.require(versionId === undefined ? 's3:GetObject' : 's3:GetObjectVersion', { bucket: source, key: sourceKey })
 * ```
 */
import type { S3Action } from '../../auth/actions.ts'
import type { Headers } from '../../wire/headers.ts'
import type { Query } from '../../wire/query.ts'
import type { Operation } from '../operation.ts'

export const levels = ['service', 'bucket', 'object'] as const

/** The part of the address space that a request names: `/`, `/{bucket}` or `/{bucket}/{key}`. */
export type Level = (typeof levels)[number]

export const methods = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS'] as const

export type Method = (typeof methods)[number]

/** Tells an operation from another one with the same method, level and sub-resource. The row without one is chosen last. */
interface Variant {
  /** Written in docs/reference/s3-compatibility.md. */
  readonly when: string
  readonly matches: (query: Query, headers: Headers) => boolean
}

/** An XML document in memory, the bytes of an object, or an upload form, which signs itself. */
export type BodyKind = 'document' | 'object' | 'form'

/** One S3 operation. Those without a handler are rows too, so that none is mistaken for another. */
export interface OperationRow {
  readonly method: Method
  /** Query name that selects the operation. */
  readonly subResource?: string
  readonly variant?: Variant
  /** Main action, asked before the handler runs. Undefined when no permission is needed, or when the handler asks for each of its objects. */
  readonly action?: S3Action
  /** Asked instead of `action` when the query has a versionId. */
  readonly versionAction?: S3Action
  /** What the handler reads. Default: nothing. The server gives each kind its deadline. A handler that opens a body without this fails. */
  readonly body?: BodyKind
  /** Answers NotImplemented when absent. */
  readonly handler?: Operation
  /** What differs from AWS, for docs/reference/s3-compatibility.md. */
  readonly notes?: string
}

type Rows = Readonly<Record<string, OperationRow>>

export interface ConfigurationActions {
  readonly read: S3Action
  readonly write: S3Action
  /** Default: `write`. */
  readonly remove?: S3Action
  /** Asked instead when the query has a versionId. */
  readonly ofVersion?: Omit<ConfigurationActions, 'ofVersion'>
}

/** Rows of a configuration document, without handlers. */
export const configuration = (name: string, subResource: string, actions: ConfigurationActions): Rows => ({
  ...readWrite(name, subResource, actions),
  [`Delete${name}`]: {
    method: 'DELETE',
    subResource,
    action: actions.remove ?? actions.write,
    ...(actions.ofVersion && { versionAction: actions.ofVersion.remove ?? actions.ofVersion.write }),
  },
})

/** The rows with handlers, by the method of the row, and notes of those that have one. */
export const withHandlers = (rows: Rows, handlers: Readonly<Partial<Record<Method, Operation>>>, notes?: string): Rows =>
  Object.fromEntries(
    Object.entries(rows).map(([name, row]) => {
      const handler = handlers[row.method]
      return [name, handler ? { ...row, handler, ...(notes !== undefined && { notes }) } : row]
    }),
  )

/** Rows as of `configuration`, for one that cannot be deleted. */
export const readWrite = (name: string, subResource: string, { read, write, ofVersion }: ConfigurationActions): Rows => ({
  [`Get${name}`]: { method: 'GET', subResource, action: read, ...(ofVersion && { versionAction: ofVersion.read }) },
  [`Put${name}`]: { method: 'PUT', subResource, action: write, body: 'document', ...(ofVersion && { versionAction: ofVersion.write }) },
})

/** Rows as of `configuration`, of which a bucket has several with ids. */
export const configurations = (name: string, subResource: string, actions: ConfigurationActions): Rows => ({
  ...configuration(`Bucket${name}Configuration`, subResource, actions),
  [`ListBucket${name}Configurations`]: {
    method: 'GET',
    subResource,
    variant: { when: 'without `id`', matches: (query) => !query.has('id') },
    action: actions.read,
  },
})

/** Actions that differ only in their verb. */
export const sameNamed = <const Name extends string>(name: Name) => ({ read: `s3:Get${name}`, write: `s3:Put${name}` }) as const
