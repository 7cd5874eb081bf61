import { defineMetric, defineService } from '#kernel'
import { Histogram } from '#kernel/system'

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

/** 1 ms to 16 s. */
const secondsBuckets = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power)

interface Outcomes {
  success: number
  failure: number
}

interface Group extends Outcomes {
  /** Durations of successes, from the head of the request to the written answer. */
  readonly seconds: Histogram
}

/** S3 operations on objects since the process started. */
export class OperationCounts {
  readonly byGroup: ReadonlyMap<string, Group> = new Map(
    Object.values(groups).map((group) => [group, { success: 0, failure: 0, seconds: new Histogram(secondsBuckets) }]),
  )
  readonly #byName = new Map(Object.entries(groups).map(([name, group]) => [name, this.byGroup.get(group)]))

  /** `name`: from the router. Operations on buckets and unrouted requests are not counted. */
  add(name: string | undefined, outcome: keyof Outcomes, ms: number): void {
    const group = name === undefined ? undefined : this.#byName.get(name)
    if (group === undefined) return
    group[outcome] += 1
    if (outcome === 'success') group.seconds.add(ms / 1000)
  }
}

export const operationCounts = defineService<OperationCounts>('s3.operation-counts')

const operations = [...new Set(Object.values(groups))]
const labels = {
  put: 'Writes',
  get: 'Reads',
  head: 'Heads',
  delete: 'Deletions',
  copy: 'Copies',
  list: 'Lists',
  multipart: 'Parts',
} as const

const operationsMetric = defineMetric({
  name: 'svc_backend_object_operations_total',
  help: 'S3 operations on objects. Failure: the response was an error or was aborted.',
  type: 'counter',
  labels: ['operation', 'status'],
  uses: { operationCounts },
  series: [
    ...operations.map((name) => ({
      name: `requests_${name}`,
      label: labels[name],
      unit: 'count' as const,
      where: { operation: [name], status: ['success'] },
    })),
    { name: 'request_errors', label: 'Failures', unit: 'count', where: { status: ['failure'] } },
  ],
  collect: async ({ operationCounts }) =>
    [...operationCounts.byGroup].flatMap(([operation, { success, failure }]) =>
      Object.entries({ success, failure }).map(([status, value]) => ({ labels: { operation, status }, value })),
    ),
})

/** Only operations that occurred: each is 18 lines of the page. */
const secondsMetric = defineMetric({
  name: 'svc_s3_operation_duration_seconds',
  help: 'Duration of successful S3 operations on objects in seconds, from the head of the request to the written answer.',
  type: 'histogram',
  labels: ['operation'],
  buckets: secondsBuckets,
  uses: { operationCounts },
  series: (['get', 'put'] as const).map((name) => ({
    name: `latency_${name}`,
    label: `${labels[name]}`,
    unit: 'seconds' as const,
    where: { operation: [name] },
  })),
  collect: async ({ operationCounts }) =>
    [...operationCounts.byGroup]
      .filter(([, { success }]) => success > 0)
      .map(([operation, { seconds }]) => ({ labels: { operation }, value: seconds })),
})

export const requestMetrics = [operationsMetric, secondsMetric]
