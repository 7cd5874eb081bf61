// Measures multipart uploads, server-side copies, bulk deletes and listings over HTTP, alternating between the servers of one run.
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signedRequest } from '../plugins/s3/testing/signed-request.ts'
import { type BenchRow, type BenchTable, renderBenchTable } from './bench-table.ts'
import { memoryRows, resetPeaks } from './memory.ts'
import { createObjectRequests } from './object-requests.ts'
import type { S3Target } from './peers.ts'
import { type PreparedRequest, RawConnection } from './raw-connection.ts'
import { compare, KIB, type Load, MIB, turnMsMax } from './rounds.ts'
import { RefusedRequest, sendRequest } from './s3-calls.ts'
import { type CompareOptions, startTargets } from './targets.ts'

/** A turn of a large upload takes seconds. */
const uploadMsMax = 120_000
const fillConnections = 32
const pageKeys = 1000

/** Amount of work: full for measurements, reduced for tests. */
interface OperationScale {
  readonly rounds: number
  readonly parts: number
  readonly partBytes: number
  readonly uploadConnections: number
  readonly copies: number
  readonly copyBytes: number
  /** Keys per DeleteObjects request; at most 1000. */
  readonly deletes: number
  /** Number per turn. */
  readonly deleteRequests: number
  readonly listedObjects: number
  readonly listings: number
}

const fullScale: OperationScale = {
  rounds: 7,
  parts: 64,
  partBytes: 16 * MIB,
  uploadConnections: 4,
  copies: 300,
  copyBytes: 64 * MIB,
  deletes: 1000,
  deleteRequests: 3,
  listedObjects: 10_000,
  listings: 40,
}

/** Takes a few minutes and up to 40 GiB of temporary disk space; set TMPDIR for another disk. @throws Error when a request fails */
export async function benchS3Operations({
  scale = fullScale,
  only = '',
  ...options
}: CompareOptions<OperationScale> = {}): Promise<BenchTable> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-bench-s3-'))
  try {
    await using servers = new AsyncDisposableStack()
    const { before, gateway, targets } = await startTargets(dir, servers, { ...options, settings: { 's3.object_sizes': 'any' } })
    resetPeaks(targets)
    const rows: BenchRow[] = []
    const loads = [listing(scale), deletingMany(scale), copying(scale), uploadingInParts(scale)]
    for (const load of loads.filter(({ label }) => label.includes(only))) {
      rows.push(...(await compare(load, { targets, before, gateway, rounds: scale.rounds })))
    }
    rows.push(...memoryRows('resident memory under these loads', targets))
    return { name: `S3 operations: median, spread and ratio of up to ${scale.rounds} rounds`, rows }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

function uploadingInParts({ parts, partBytes, uploadConnections }: OperationScale): Load<S3Target> {
  const bytes = parts * partBytes
  const prepare = async (target: S3Target) => {
    let previous: string | undefined
    return async () => {
      if (previous) await sendRequest(target, { method: 'DELETE', url: previous })
      const url = `/${target.bucket}/upload-${randomBytes(8).toString('hex')}`
      previous = url
      const { body } = await sendRequest(target, { method: 'POST', url: `${url}?uploads=` })
      const uploadId = /<UploadId>([^<]+)<\/UploadId>/.exec(body)?.[1]
      if (uploadId === undefined) throw new RefusedRequest(`${target.label}: no UploadId in ${body.slice(0, 500)}`)
      const upload = { url, uploadId, parts: prepareParts(target, { url, uploadId, parts, partBytes }) }
      return () => uploadParts(target, upload, uploadConnections)
    }
  }
  const label = `upload of ${bytes / MIB} MiB in parts of ${partBytes / MIB} MiB, ${uploadConnections} at once`
  return { label, requestBytes: bytes, msMax: uploadMsMax, prepare }
}

interface PartsOfUpload {
  readonly url: string
  readonly uploadId: string
  readonly parts: number
  readonly partBytes: number
}

/** Parts with different contents, hashed and signed before the timing starts. */
function prepareParts({ port, user }: S3Target, { url, uploadId, parts, partBytes }: PartsOfUpload): PreparedRequest[] {
  const stampBytes = 16
  const tail = randomBytes(partBytes - stampBytes)
  return Array.from({ length: parts }, (_, index) => {
    const stamp = randomBytes(stampBytes)
    const payload = createHash('sha256').update(stamp).update(tail).digest('hex')
    const part = `${url}?partNumber=${index + 1}&uploadId=${encodeURIComponent(uploadId)}`
    const unsignedHeaders = { 'content-length': String(partBytes) }
    return [Buffer.from(signedRequest(port, { method: 'PUT', url: part, user, payload, unsignedHeaders }).head), stamp, tail]
  })
}

interface Upload {
  readonly url: string
  readonly uploadId: string
  readonly parts: readonly PreparedRequest[]
}

async function uploadParts(target: S3Target, { url, uploadId, parts }: Upload, connections: number): Promise<number> {
  const etags: string[] = []
  let next = 0
  await eachConnection(target.port, connections, async (connection) => {
    while (next < parts.length) {
      const index = next++
      const onHead = (head: string) => {
        etags[index] = /\r\netag: *([^\r\n]+)/i.exec(head)?.[1] ?? ''
      }
      await connection.exchange(parts[index] as PreparedRequest, { bodyBytes: 0, onHead })
    }
  })
  const listed = etags.map((etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`)
  const body = `<CompleteMultipartUpload>${listed.join('')}</CompleteMultipartUpload>`
  await sendRequest(target, { method: 'POST', url: `${url}?uploadId=${encodeURIComponent(uploadId)}`, body })
  return 1
}

function copying({ copies, copyBytes }: OperationScale): Load<S3Target> {
  const prepare = async (target: S3Target) => {
    const requests = createObjectRequests({ objectBytes: copyBytes, bucket: target.bucket, user: target.user })
    const [source] = requests.prepare(target.port, 1)
    if (source === undefined) throw new Error('no object was prepared')
    await eachConnection(target.port, 1, (connection) => connection.exchange(source.put, { bodyBytes: 0 }))
    const copyOnce = async (n: number): Promise<void> => {
      const headers = { 'x-amz-copy-source': source.key }
      const { body } = await sendRequest(target, { method: 'PUT', url: `/${target.bucket}/copy-${n}`, headers })
      // A server without copies may store an empty object instead.
      if (!body.includes('<CopyObjectResult')) throw new RefusedRequest(`${target.label}: the answer is not that of a copy`)
    }
    return async () => async () => {
      const endMs = performance.now() + turnMsMax
      let n = 0
      while (n < copies && performance.now() < endMs) await copyOnce(n++)
      return n
    }
  }
  return { label: `copies within the server of an object of ${copyBytes / MIB} MiB, 1 client`, requestBytes: 0, prepare }
}

/** The rate is in requests, each of them for the same number of keys. */
function deletingMany({ deletes, deleteRequests }: OperationScale): Load<S3Target> {
  const prepare = async (target: S3Target) => async () => {
    const keys = await putSmallObjects(target, deletes * deleteRequests)
    const bodies = Array.from({ length: deleteRequests }, (_, n) => {
      const objects = keys.slice(n * deletes, (n + 1) * deletes).map((key) => `<Object><Key>${key}</Key></Object>`)
      return `<Delete><Quiet>true</Quiet>${objects.join('')}</Delete>`
    })
    return async () => {
      for (const body of bodies) {
        const headers = { 'content-md5': createHash('md5').update(body).digest('base64') }
        await sendRequest(target, { method: 'POST', url: `/${target.bucket}?delete=`, body, headers })
      }
      return bodies.length
    }
  }
  return { label: `requests that delete ${deletes} objects`, requestBytes: 0, prepare }
}

function listing({ listedObjects, listings }: OperationScale): Load<S3Target> {
  const prepare = async (target: S3Target) => {
    const keys = (await putSmallObjects(target, listedObjects)).toSorted()
    const limit = Math.min(pageKeys, listedObjects)
    const listFrom = async (after: string): Promise<void> => {
      const url = `/${target.bucket}?list-type=2&max-keys=${limit}&start-after=${after}`
      const { body } = await sendRequest(target, { method: 'GET', url })
      const found = body.split('<Key>').length - 1
      if (found < limit) throw new Error(`${target.label}: ${found} keys on a page instead of ${limit}`)
    }
    return async () => async () => {
      for (let n = 0; n < listings; n++) await listFrom(keys[Math.floor((n / listings) * (listedObjects - limit)) - 1] ?? '')
      return listings
    }
  }
  return { label: `pages of ${Math.min(pageKeys, listedObjects)} of ${listedObjects} objects, 1 client`, requestBytes: 0, prepare }
}

async function putSmallObjects({ port, user, bucket }: S3Target, count: number): Promise<string[]> {
  const objects = createObjectRequests({ objectBytes: 4 * KIB, bucket, user }).prepare(port, count)
  let next = 0
  await eachConnection(port, fillConnections, async (connection) => {
    while (next < objects.length) {
      const object = objects[next++]
      if (object) await connection.exchange(object.put, { bodyBytes: 0 })
    }
  })
  return objects.map(({ key }) => key.slice(`/${bucket}/`.length))
}

async function eachConnection(port: number, count: number, work: (connection: RawConnection) => Promise<void>): Promise<void> {
  using open = new DisposableStack()
  const connections: RawConnection[] = []
  for (let n = 0; n < count; n++) connections.push(open.use(await RawConnection.open(port)))
  await Promise.all(connections.map(work))
}

if (import.meta.main) process.stdout.write(renderBenchTable(await benchS3Operations()))
