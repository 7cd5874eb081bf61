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

/** One S3 operation. Those without a handler are rows too, so that none is mistaken for another. */
export interface OperationRow {
  readonly method: Method
  /** Query name that selects the operation. */
  readonly subResource?: string
  readonly variant?: Variant
  /** IAM action that the caller needs; undefined when no permission is needed. */
  readonly action?: `s3:${string}`
  /** Without one the answer is NotImplemented. */
  readonly handler?: Operation
  /** What differs from AWS, for docs/reference/s3-compatibility.md. */
  readonly notes?: string
}

type Rows = Readonly<Record<string, OperationRow>>

/** Rows of a configuration document, without handlers. `actions`: of reads and of writes, which also delete. */
export const configuration = (name: string, subResource: string, actions: readonly [read: string, write: string]): Rows => ({
  ...readWrite(name, subResource, actions),
  [`Delete${name}`]: { method: 'DELETE', subResource, action: `s3:${actions[1]}` },
})

/** As `configuration`, for one that cannot be deleted. */
export const readWrite = (name: string, subResource: string, [read, write]: readonly [read: string, write: string]): Rows => ({
  [`Get${name}`]: { method: 'GET', subResource, action: `s3:${read}` },
  [`Put${name}`]: { method: 'PUT', subResource, action: `s3:${write}` },
})

/** As `configuration`, of which a bucket has several with ids. */
export const configurations = (name: string, subResource: string, actions: readonly [read: string, write: string]): Rows => ({
  ...configuration(`Bucket${name}Configuration`, subResource, actions),
  [`ListBucket${name}Configurations`]: {
    method: 'GET',
    subResource,
    variant: { when: 'without `id`', matches: (query) => !query.has('id') },
    action: `s3:${actions[0]}`,
  },
})

/** IAM actions of reads and writes that differ only in their verb. */
export const sameNamed = (name: string) => [`Get${name}`, `Put${name}`] as const
