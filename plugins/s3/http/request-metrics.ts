// How many operations on objects clients asked for, and how they ended.
import { defineMetric, defineService } from '#kernel'

const groups = {
  PutObject: 'put',
  GetObject: 'get',
  HeadObject: 'head',
  DeleteObject: 'delete',
  DeleteObjects: 'delete',
  CopyObject: 'copy',
  ListObjects: 'list',
  ListObjectsV2: 'list',
  ListObjectVersions: 'list',
  CreateMultipartUpload: 'multipart',
  UploadPart: 'multipart',
  UploadPartCopy: 'multipart',
  CompleteMultipartUpload: 'multipart',
  AbortMultipartUpload: 'multipart',
  ListParts: 'multipart',
  ListMultipartUploads: 'multipart',
} as const

interface Ends {
  success: number
  failure: number
}

/** Counts since the start. */
export class OperationCounts {
  readonly byGroup: ReadonlyMap<string, Ends> = new Map(Object.values(groups).map((group) => [group, { success: 0, failure: 0 }]))
  readonly #byName = new Map(Object.entries(groups).map(([name, group]) => [name, this.byGroup.get(group)]))

  /** `name` as the router gives it; operations on buckets and requests without one are not counted. */
  add(name: string | undefined, end: keyof Ends): void {
    const ends = name === undefined ? undefined : this.#byName.get(name)
    if (ends !== undefined) ends[end] += 1
  }
}

export const operationCounts = defineService<OperationCounts>('s3.operation-counts')

export const operationMetric = defineMetric({
  name: 'svc_backend_object_operations_total',
  help: 'S3 operations on objects. A failure was answered with an error, or its answer did not reach its end.',
  type: 'counter',
  labels: ['operation', 'status'],
  uses: { operationCounts },
  collect: async ({ operationCounts }) =>
    [...operationCounts.byGroup].flatMap(([operation, ends]) =>
      Object.entries(ends).map(([status, value]) => ({ labels: { operation, status }, value })),
    ),
})
