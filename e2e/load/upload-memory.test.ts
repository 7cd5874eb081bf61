/** The largest object streams through the gateway in bounded memory and reaches its providers. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DevProcess, startDev } from '../fixtures/gateways/dev-process.ts'
import { until } from '../fixtures/until.ts'
import { waitForCopies } from '../fixtures/verify-copies.ts'
import { mib, readResidentMemory, resetPeak } from './resident-memory.ts'
import { uploadStream } from './upload-stream.ts'

const bucket = 'films'
const largestBytes = 1_065_353_216
const testMs = 300_000

let svc: DevProcess
beforeAll(async () => {
  svc = await startDev()
  const made = await svc.call('POST', '/api/v1/buckets', {
    json: { name: bucket, owner_access_key: svc.ready.s3.access_key, default_copies: 3 },
  })
  expect(made.status).toBe(201)
})
afterAll(() => svc[Symbol.asyncDispose]())

/** Uploads an object and waits until its piece CID is computed, which reads the whole file on worker threads of the same process. */
async function store(key: string, size: number): Promise<string> {
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
  largest ??= store('largest.bin', largestBytes)
  return largest
}

test.skipIf(process.platform !== 'linux')(
  'an upload of the largest size, piece CID included, grows the gateway memory by less than 64 MiB',
  async () => {
    // Warm-up: the first large object starts threads and grows buffers to their usual size.
    await store('warm-up.bin', 64 * mib)
    resetPeak(svc.ready.pid)
    const resting = readResidentMemory(svc.ready.pid)
    await storeLargest()
    const { peakBytes } = readResidentMemory(svc.ready.pid)
    expect((peakBytes - resting.bytes) / mib).toBeLessThan(64)
  },
  testMs,
)

test(
  'the smallest and the largest object reach three copies at providers with the registered piece sizes of Curio, 1 MiB to 64 GiB',
  async () => {
    const versions = [await store('smallest.bin', 127), await storeLargest()]
    for (const versionId of versions) {
      const { copies } = await waitForCopies(svc, { bucket, versionId }, { copies: 3, withinMs: testMs })
      expect(new Set(copies.map((copy) => copy.provider_id)).size).toBe(3)
    }
  },
  testMs,
)
