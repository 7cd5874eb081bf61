/** Every family that the specification of the metrics names, on the page of a whole gateway, with type, labels and a value that follows the facts. */
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { version } from '#kernel/system'
import { type TestKernel, testKernel } from '#kernel/testing'
import { builtinPlugins } from '../../plugins/index.ts'

const config = {
  'server.port': '127.0.0.1:0',
  'chain.private_key': `0x${'1'.repeat(64)}`,
  // The discard port: nothing listens there.
  'chain.rpc_url': 'http://127.0.0.1:9',
  'cache.max_size_gb': 1,
  // Each object has a task of its own.
  'packs.default': 'off',
}
const bytes = 1000
let svc: TestKernel
let page = ''
let contentType: string | null

interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Samples of a family; those of a histogram by their suffix. */
function samplesOf(name: string): readonly Sample[] {
  return [...page.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, 'gm'))].map(([, labels = '', value]) => ({
    labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', text = '']) => [label, text])),
    value: Number(value),
  }))
}
const typeOf = (name: string) => new RegExp(`^# TYPE ${name} (\\w+)$`, 'm').exec(page)?.[1]
const sum = (name: string, labels: Readonly<Record<string, string>> = {}) =>
  samplesOf(name)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((all, { value }) => all + value, 0)

async function scrape(): Promise<void> {
  const answer = await svc.fetch('/metrics')
  contentType = answer.headers.get('content-type')
  page = await answer.text()
}

beforeAll(async () => {
  svc = await testKernel({ plugins: builtinPlugins, config })
  const { body } = await svc.call('POST', '/api/v1/s3-users', { role: 'admin' })
  const credentials = { accessKeyId: body.access_key, secretAccessKey: body.secret_key }
  const client = new S3Client({
    endpoint: svc.kernel.urls.s3 ?? '',
    region: 'us-east-1',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials,
  })
  const place = { Bucket: 'photos', Key: 'k' }
  await client.send(new CreateBucketCommand({ Bucket: 'photos' }))
  await client.send(new PutObjectCommand({ ...place, Body: Buffer.alloc(bytes, 'a') }))
  await (await client.send(new GetObjectCommand(place))).Body?.transformToByteArray()
  await expect(client.send(new GetObjectCommand({ ...place, Key: 'none' }))).rejects.toMatchObject({ name: 'NoSuchKey' })
  client.destroy()
  // The gateway counts an answer after sending it; the task of the object ends its first run when the chain cannot be reached.
  await vi.waitFor(
    async () => {
      await scrape()
      expect(sum('svc_backend_object_operations_total', { status: 'failure' })).toBe(1)
      expect(sum('svc_worker_task_duration_seconds_count')).toBeGreaterThan(0)
    },
    { timeout: 30_000 },
  )
})
afterAll(() => svc?.[Symbol.asyncDispose]())

interface Family {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly labels: readonly string[]
  /** What the family says after one write, one read and one failed read. */
  readonly says: () => unknown
  readonly expected: unknown
}

const families: Readonly<Record<string, Family>> = {
  svc_backend_object_operations_total: {
    type: 'counter',
    labels: ['operation', 'status'],
    says: () =>
      [...Map.groupBy(samplesOf('svc_backend_object_operations_total'), ({ labels }) => labels.operation)].map(([operation, samples]) => [
        operation,
        ...samples.map(({ labels, value }) => `${labels.status} ${value}`),
      ]),
    expected: [
      ['put', 'success 1', 'failure 0'],
      ['get', 'success 1', 'failure 1'],
      ...['head', 'delete', 'copy', 'list', 'multipart'].map((operation) => [operation, 'success 0', 'failure 0']),
    ],
  },
  svc_cache_used_bytes: { type: 'gauge', labels: [], says: () => sum('svc_cache_used_bytes'), expected: bytes },
  svc_cache_max_bytes: { type: 'gauge', labels: [], says: () => sum('svc_cache_max_bytes'), expected: 1024 ** 3 },
  svc_cache_hits_total: { type: 'counter', labels: [], says: () => sum('svc_cache_hits_total'), expected: 1 },
  svc_cache_misses_total: { type: 'counter', labels: [], says: () => samplesOf('svc_cache_misses_total').length, expected: 1 },
  svc_cache_lru_eviction_paused: {
    type: 'gauge',
    labels: [],
    says: () => samplesOf('svc_cache_lru_eviction_paused'),
    expected: [{ labels: {}, value: 0 }],
  },
  svc_task_queue_depth: {
    type: 'gauge',
    labels: ['type', 'status'],
    says: () => [
      sum('svc_task_queue_depth', { type: 'storage_store' }),
      [...new Set(samplesOf('svc_task_queue_depth').map(({ labels }) => labels.status))],
    ],
    expected: [1, ['pending', 'running']],
  },
  svc_object_state_distribution: {
    type: 'gauge',
    labels: ['state'],
    says: () => samplesOf('svc_object_state_distribution').map(({ labels, value }) => [labels.state, value]),
    expected: [
      ['cached', 1],
      ['uploading', 0],
      ['committing', 0],
      ['replicating', 0],
      ['stored', 0],
      ['failed', 0],
    ],
  },
  svc_worker_tasks_processed_total: {
    type: 'counter',
    labels: ['worker', 'task_type', 'result'],
    says: () => [
      sum('svc_worker_tasks_processed_total', { worker: 'tasks' }) > 0,
      [...new Set(samplesOf('svc_worker_tasks_processed_total').map(({ labels }) => labels.result))].sort(),
    ],
    expected: [true, ['failure', 'retry', 'success', 'wait']],
  },
  svc_worker_tasks_failed_total: {
    type: 'counter',
    labels: ['worker', 'task_type'],
    says: () => samplesOf('svc_worker_tasks_failed_total').filter(({ labels }) => labels.task_type === 'storage_store'),
    expected: [{ labels: { worker: 'tasks', task_type: 'storage_store' }, value: 0 }],
  },
  svc_worker_task_duration_seconds: {
    type: 'histogram',
    labels: ['worker', 'task_type', 'result'],
    says: () => [...new Set(samplesOf('svc_worker_task_duration_seconds_bucket').map(({ labels }) => labels.le))],
    expected: [...Array.from({ length: 12 }, (_, power) => String(0.1 * 2 ** power)), '+Inf'],
  },
  svc_build_info: {
    type: 'gauge',
    labels: ['version', 'commit'],
    says: () => samplesOf('svc_build_info'),
    expected: [{ labels: { version: version.version, commit: version.commit }, value: 1 }],
  },
}

describe.each(Object.entries(families))('%s', (name, { type, labels, says, expected }) => {
  test('has its type, its labels and its meaning', () => {
    expect(typeOf(name)).toBe(type)
    const samples = samplesOf(type === 'histogram' ? `${name}_count` : name)
    expect(samples.length).toBeGreaterThan(0)
    for (const sample of samples) expect(Object.keys(sample.labels)).toEqual(labels)
    expect(says()).toEqual(expected)
  })
})

test('the further families of the gateway count the same requests', () => {
  expect(sum('svc_s3_traffic_bytes_total', { direction: 'in' })).toBeGreaterThan(bytes)
  expect(sum('svc_s3_traffic_bytes_total', { direction: 'out' })).toBeGreaterThan(bytes)
  expect(samplesOf('svc_s3_operation_duration_seconds_count')).toEqual([
    { labels: { operation: 'put' }, value: 1 },
    { labels: { operation: 'get' }, value: 1 },
  ])
  // Nothing may be evicted before a copy exists.
  expect(sum('svc_cache_pinned_bytes')).toBe(bytes)
  expect(samplesOf('svc_copies_committed_total')).toEqual([{ labels: {}, value: 0 }])
  expect(samplesOf('svc_failed_tasks').every(({ value }) => value === 0)).toBe(true)
  expect(typeOf('process_cpu_seconds_total')).toBe('counter')
  expect(contentType).toBe('text/plain; version=0.0.4; charset=utf-8')
})
