/** An object larger than the cache, from its upload to reads after its eviction, with the memory of the gateway in each step. */
import { Readable } from 'node:stream'
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { type Body, blocksOf, findDifference, joined, sparseBody } from '../fixtures/body.ts'
import type { FundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import { startGateway } from '../fixtures/gateways/gateway-process.ts'
import type { ServeProcess } from '../fixtures/gateways/serve-process.ts'
import { findProblemsWithDoctor } from '../fixtures/run-doctor.ts'
import { waitForCopies } from '../fixtures/verify-copies.ts'
import { mib, readResidentMemory, resetPeak } from '../load/resident-memory.ts'

interface LargeObjectOptions {
  readonly network: FundedDevnet
  readonly objectBytes: number
  readonly cacheGib: number
  readonly copies: number
  onStep(step: Step): void
}

interface Step {
  readonly step: string
  readonly seconds: number
  /** Above the resident memory at rest. */
  readonly peakMib: number
  /** Used bytes of the cache after the step. */
  readonly cacheMib: number
}

const bucket = 'films'
const pieceBytes = 1_065_353_216
const partBytes = 64 * mib
const stepMs = 3 * 3_600_000

/** Returns the problems. */
export async function storeLargeObject(options: LargeObjectOptions): Promise<readonly string[]> {
  const { network, objectBytes, cacheGib, copies } = options
  const dir = network.makeDir('gateway')
  const settings = {
    's3.object_sizes': 'any',
    'cache.max_size_gb': cacheGib,
    // The default: on a busy machine, the short one of other tests may end during an upload, which then begins again.
    'worker.tasks.lease_duration': '60s',
  }
  await using gateway = await startGateway({ dir, devnet: network.devnet, privateKey: network.privateKey, settings })
  const user = await gateway.createUser()
  const s3 = gateway.connect(user)
  const json = { name: bucket, owner_access_key: user.access_key, default_copies: copies, minimum_durable_copies: copies }
  const made = await gateway.call('POST', '/api/v1/buckets', { json })
  if (made.status !== 201) throw new Error(`the bucket was not created: ${made.status} ${made.text}`)

  const run = createRun(options, gateway, s3)
  // Starts threads and grows buffers to their usual size.
  const first = await sparseBody(1, partBytes)
  await run.copied(await run.put('warm-up', first))
  const restBytes = readResidentMemory(gateway.pid).bytes
  options.onStep({ step: 'at rest', seconds: 0, peakMib: restBytes / mib, cacheMib: await run.cacheMib() })
  await run.wholeLife('put', await sparseBody(2, objectBytes), { restBytes, upload: run.put })
  // Parts are kept in the cache until the completion, so an upload in parts must fit.
  const partsCount = Math.max(2, Math.floor((0.6 * Math.min(objectBytes, cacheGib * 1024 * mib)) / partBytes))
  const parts = await Promise.all(Array.from({ length: partsCount }, (_, at) => sparseBody(100 + at, partBytes)))
  await run.wholeLife('parts', joined(parts), { restBytes, upload: (key) => run.putParts(key, parts) })
  s3.destroy()
  await gateway.stop()
  return [...run.problems, ...(await findProblemsWithDoctor(dir))]
}

interface Life {
  readonly restBytes: number
  upload(key: string, body: Body): Promise<string>
}

function createRun({ copies, onStep }: LargeObjectOptions, gateway: ServeProcess, s3: S3Client) {
  const problems: string[] = []

  async function put(key: string, body: Body): Promise<string> {
    const Body = Readable.from(blocksOf(body), { objectMode: false })
    const { VersionId, ETag } = await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body, ContentLength: body.length }))
    compareEtag(key, body, ETag)
    return VersionId ?? ''
  }

  async function putParts(key: string, parts: readonly Body[]): Promise<string> {
    const place = { Bucket: bucket, Key: key }
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand(place))
    const Parts: { ETag: string | undefined; PartNumber: number }[] = []
    for (const [at, part] of parts.entries()) {
      const PartNumber = at + 1
      const Body = Readable.from(blocksOf(part), { objectMode: false })
      const { ETag } = await s3.send(new UploadPartCommand({ ...place, UploadId, PartNumber, Body, ContentLength: part.length }))
      Parts.push({ ETag, PartNumber })
    }
    const { VersionId, ETag } = await s3.send(new CompleteMultipartUploadCommand({ ...place, UploadId, MultipartUpload: { Parts } }))
    compareEtag(key, joined(parts), ETag)
    return VersionId ?? ''
  }

  function compareEtag(key: string, { etag }: Body, found: string | undefined): void {
    if (found !== `"${etag}"`) problems.push(`${key} has the ETag ${found} instead of ${etag}`)
  }

  async function read(key: string, body: Body, range?: { readonly start: number; readonly end: number }): Promise<void> {
    const Range = range && `bytes=${range.start}-${range.end - 1}`
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key, Range }))
    const difference = await findDifference(body, Body as Readable, range)
    if (difference !== undefined) problems.push(`${key} ${Range ?? 'whole'}: ${difference}`)
  }

  const copied = (versionId: string) => waitForCopies(gateway, { bucket, versionId }, { copies, withinMs: stepMs })
  const cacheMib = async (): Promise<number> => (await gateway.call('GET', '/api/v1/overview')).json.cache.used_bytes / mib

  async function wholeLife(key: string, body: Body, { restBytes, upload }: Life): Promise<void> {
    const measure = async <T>(step: string, work: () => Promise<T>): Promise<T> => {
      resetPeak(gateway.pid)
      const startMs = performance.now()
      const result = await work()
      const peakMib = (readResidentMemory(gateway.pid).peakBytes - restBytes) / mib
      const seconds = (performance.now() - startMs) / 1000
      onStep({ step: `${key}: ${step}`, seconds, peakMib, cacheMib: await cacheMib() })
      return result
    }
    const versionId = await measure(`upload of ${Math.round(body.length / mib)} MiB`, () => upload(key, body))
    await measure(`${copies} copies`, () => copied(versionId))
    await measure('ranges', async () => {
      const borders = [0, pieceBytes - 1000, body.length - 5000].filter((at) => at < body.length)
      for (const start of borders) await read(key, body, { start, end: Math.min(body.length, start + 3 * mib) })
    })
    await measure('whole read', () => read(key, body))
  }

  return { problems, put, putParts, copied, cacheMib, wholeLife }
}
