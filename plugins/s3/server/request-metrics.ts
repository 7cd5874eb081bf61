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

interface Outcomes {
  success: number
  failure: number
}

/** S3 operations on objects since the process started. */
export class OperationCounts {
  readonly byGroup: ReadonlyMap<string, Outcomes> = new Map(Object.values(groups).map((group) => [group, { success: 0, failure: 0 }]))
  readonly #byName = new Map(Object.entries(groups).map(([name, group]) => [name, this.byGroup.get(group)]))

  /** `name`: from the router. Operations on buckets and unrouted requests are not counted. */
  add(name: string | undefined, outcome: keyof Outcomes): void {
    const outcomes = name === undefined ? undefined : this.#byName.get(name)
    if (outcomes !== undefined) outcomes[outcome] += 1
  }
}

export const operationCounts = defineService<OperationCounts>('s3.operation-counts')

export const operationMetric = defineMetric({
  name: 'svc_backend_object_operations_total',
  help: 'S3 operations on objects. Failure: the response was an error or was aborted.',
  type: 'counter',
  labels: ['operation', 'status'],
  uses: { operationCounts },
  collect: async ({ operationCounts }) =>
    [...operationCounts.byGroup].flatMap(([operation, outcomes]) =>
      Object.entries(outcomes).map(([status, value]) => ({ labels: { operation, status }, value })),
    ),
})
