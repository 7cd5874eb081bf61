/** An upload through the Admin API that generates its bytes while sending, so that the client needs little memory. */
import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { AdminCalls } from '../fixtures/admin-calls.ts'

const chunkBytes = 64 * 1024
const randomPool = randomBytes(8 * 1024 * 1024)

interface StreamedUpload {
  readonly bucket: string
  readonly key: string
  readonly size: number
}

/** Resolves with the version id. */
export async function uploadStream(svc: AdminCalls, { bucket, key, size }: StreamedUpload): Promise<string> {
  const { hostname, port } = new URL(svc.adminUrl)
  const sent = request({
    hostname,
    port,
    method: 'POST',
    path: `/api/v1/buckets/${bucket}/objects/upload?key=${encodeURIComponent(key)}`,
    headers: svc.headersOf({ headers: { 'content-length': String(size), 'content-type': 'application/octet-stream' } }),
  })
  const { promise: answered, resolve, reject } = Promise.withResolvers<{ readonly status: number | undefined; readonly body: string }>()
  sent.once('error', reject)
  sent.once('response', async (response) => resolve({ status: response.statusCode, body: await text(response) }))
  await pipeline(Readable.from(generateBytes(size)), sent)
  const { status, body } = await answered
  if (status !== 200) throw new Error(`the upload of ${size} bytes failed: ${status} ${body}`)
  return JSON.parse(body).version_id
}

/** Random bytes from a random offset, which shifts within the object, so that no two contents are equal. */
function* generateBytes(size: number): Generator<Uint8Array> {
  const start = Math.floor(Math.random() * randomPool.length)
  for (let done = 0; done < size; ) {
    const at = (start + done + Math.floor(done / randomPool.length)) % (randomPool.length - chunkBytes)
    const chunk = randomPool.subarray(at, at + Math.min(chunkBytes, size - done))
    yield chunk
    done += chunk.length
  }
}
