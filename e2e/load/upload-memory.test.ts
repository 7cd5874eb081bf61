/** The largest object streams through the gateway in bounded memory and reaches its providers. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DevProcess, startDev } from '../fixtures/gateways/dev-process.ts'
import { until } from '../fixtures/until.ts'
import { waitForCopies } from '../fixtures/verify-copies.ts'
import { mib, readResidentMemory, resetPeak } from './resident-memory.ts'
import { uploadStream } from './upload-stream.ts'

/** Names of buckets by the copies of their objects. */
const buckets = { films: 3, reels: 1 }
const largestBytes = 1_065_353_216
const testMs = 300_000

let svc: DevProcess
beforeAll(async () => {
  svc = await startDev()
  for (const [name, copies] of Object.entries(buckets)) {
    const made = await svc.call('POST', '/api/v1/buckets', {
      json: { name, owner_access_key: svc.ready.s3.access_key, default_copies: copies },
    })
    expect(made.status).toBe(201)
  }
})
afterAll(() => svc[Symbol.asyncDispose]())

/** Uploads an object and waits until its piece CID is computed, which reads the whole file on worker threads of the same process. */
async function store(bucket: keyof typeof buckets, key: string, size: number): Promise<string> {
  const versionId = await uploadStream(svc, { bucket, key, size })
  await until(
    `the piece CID of ${key}`,
    async () => (await svc.call('GET', `/api/v1/buckets/${bucket}/objects/provenance?version_id=${versionId}`)).json.piece_cid,
    { withinMs: testMs },
  )
  return versionId
}

let largest: Promise<string> | undefined
/** Uploads once, by whichever test runs first. */
const storeLargest = () => {
  largest ??= store('reels', 'largest.bin', largestBytes)
  return largest
}

test.skipIf(process.platform !== 'linux')(
  'an upload of the largest size, piece CID included, grows the gateway memory by less than 64 MiB',
  async () => {
    // Warm-up: the first large object starts threads and grows buffers to their usual size.
    await store('films', 'warm-up.bin', 64 * mib)
    resetPeak(svc.ready.pid)
    const resting = readResidentMemory(svc.ready.pid)
    await storeLargest()
    const { peakBytes } = readResidentMemory(svc.ready.pid)
    expect((peakBytes - resting.bytes) / mib).toBeLessThan(64)
  },
  testMs,
)

test(
  'the smallest object reaches three copies and the largest one, at providers with the registered piece sizes of Curio, 1 MiB to 64 GiB',
  async () => {
    const versions = { films: await store('films', 'smallest.bin', 127), reels: await storeLargest() }
    for (const bucket of ['films', 'reels'] as const) {
      const { copies } = await waitForCopies(svc, { bucket, versionId: versions[bucket] }, { copies: buckets[bucket], withinMs: testMs })
      expect(new Set(copies.map((copy) => copy.provider_id)).size).toBe(buckets[bucket])
    }
  },
  testMs,
)
