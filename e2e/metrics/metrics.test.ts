/** `/metrics` of a whole gateway after writes and reads. The chain is unreachable, so no object is copied. */
import { CreateBucketCommand, DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
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

async function connect(svc: TestKernel): Promise<S3Client> {
  const { body } = await svc.call('POST', '/api/v1/s3-users', { role: 'admin' })
  const credentials = { accessKeyId: body.access_key, secretAccessKey: body.secret_key }
  return new S3Client({ endpoint: svc.kernel.urls.s3 ?? '', region: 'us-east-1', forcePathStyle: true, maxAttempts: 1, credentials })
}

/** Samples by name with labels, as on the page. */
async function scrape(svc: TestKernel): Promise<ReadonlyMap<string, number>> {
  const text = await (await svc.fetch('/metrics')).text()
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]))
}

test('a PUT and a GET update every metric family they affect', async () => {
  await using svc = await testKernel({ plugins: builtinPlugins, config })
  const client = await connect(svc)
  const bytes = 1000
  const place = { Bucket: 'photos', Key: 'k' }
  await client.send(new CreateBucketCommand({ Bucket: 'photos' }))
  for (const Key of ['k', 'gone']) await client.send(new PutObjectCommand({ ...place, Key, Body: Buffer.alloc(bytes, Key) }))
  await client.send(new DeleteObjectCommand({ ...place, Key: 'gone' }))
  for (let reads = 0; reads < 2; reads++) await (await client.send(new GetObjectCommand(place))).Body?.transformToByteArray()
  await expect(client.send(new GetObjectCommand({ ...place, Key: 'none' }))).rejects.toMatchObject({ name: 'NoSuchKey' })
  client.destroy()

  const operations = (operation: string, status: string) =>
    `svc_backend_object_operations_total{operation="${operation}",status="${status}"}`
  // The gateway counts an answer after sending it.
  await expect.poll(async () => (await scrape(svc)).get(operations('get', 'failure'))).toBe(1)
  const page = await scrape(svc)
  expect(Object.fromEntries(page)).toMatchObject({
    [operations('put', 'success')]: 2,
    [operations('get', 'success')]: 2,
    [operations('delete', 'success')]: 1,
    [operations('put', 'failure')]: 0,
    svc_cache_used_bytes: 2 * bytes,
    svc_cache_max_bytes: 1024 ** 3,
    svc_cache_lru_eviction_paused: 0,
    svc_cache_hits_total: 2,
    svc_cache_misses_total: 0,
    svc_cache_fills_started_total: 0,
    'svc_cache_fills_ended_total{outcome="finished"}': 0,
    svc_cache_fill_bytes_total: 0,
    'svc_object_state_distribution{state="cached"}': 1,
    'svc_object_state_distribution{state="stored"}': 0,
  })
  const tasks = (status: string) => page.get(`svc_task_queue_depth{type="storage_store",status="${status}"}`) ?? 0
  expect(tasks('pending') + tasks('running')).toBe(2)
  expect([...page.keys()].some((name) => name.startsWith('svc_build_info{version="'))).toBe(true)
  expect([...page.keys()].filter((name) => name.startsWith('svc_metrics_failures_total'))).toEqual([])
  expect(page.get('process_resident_memory_bytes')).toBeGreaterThan(0)
})
