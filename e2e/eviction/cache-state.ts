/** Observes the cache of a gateway: files, database rows and API answers. */
import { request } from 'node:http'
import { exchangeRaw, type RawAnswer } from '../../plugins/s3/testing/raw-exchange.ts'
import { signedRequest } from '../../plugins/s3/testing/signed-request.ts'
import { countCachedBlobs } from '../fixtures/cached-files.ts'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { countRows } from '../fixtures/gateways/gateway-database.ts'
import { stageBucket } from '../fixtures/gateways/stage.ts'
import type { S3User } from '../fixtures/s3-client.ts'
import { until } from '../fixtures/until.ts'

export const countCachedFiles = countCachedBlobs

/** Waits until so many files are left, and as many rows. */
export const waitForCachedFiles = (dir: string, count: number): Promise<true> =>
  until(`${count} cached files`, async () => (countCachedFiles(dir) === count && countRows(dir, 'cache_entries') === count) || undefined)

/** Waits until the cache check that each commit enqueues has run. */
export const waitForReconcile = (dir: string): Promise<true> =>
  until('the cache check', async () => {
    const open = countRows(
      dir,
      `tasks where kind = 'cache_capacity_reconcile' and status in ('pending', 'running') and wait_reason is null`,
    )
    return open === 0 || undefined
  })

// biome-ignore lint/suspicious/noExplicitAny: as the Admin API answers
export const cacheStats = async (gateway: Gateway): Promise<any> => (await gateway.call('GET', '/api/v1/cache/stats')).json

/** A PUT over S3 with a Content-Length and `Expect: 100-continue`, without its body. */
export function announceOverS3({ s3Url }: Gateway, user: S3User, bytes: number): Promise<RawAnswer> {
  const port = Number(new URL(s3Url).port)
  const { head } = signedRequest(port, {
    method: 'PUT',
    url: `/${stageBucket}/announced`,
    user: { accessKey: user.access_key, secretKey: user.secret_key },
    payload: 'UNSIGNED-PAYLOAD',
    unsignedHeaders: { 'content-length': String(bytes), expect: '100-continue' },
  })
  return exchangeRaw(port, [head])
}

/** An upload through the Admin API with a Content-Length, without its body. */
export function announceToAdmin(gateway: Gateway, bytes: number): Promise<{ readonly status: number; readonly code: string }> {
  const headers = gateway.headersOf({ headers: { 'content-type': 'application/octet-stream', 'content-length': String(bytes) } })
  return new Promise((resolve, reject) => {
    const url = `${gateway.adminUrl}/api/v1/buckets/${stageBucket}/objects/upload?key=announced`
    const upload = request(url, { method: 'POST', headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
        if (!text.endsWith('}')) return
        resolve({ status: response.statusCode ?? 0, code: JSON.parse(text).code })
        upload.destroy()
      })
    })
    upload.on('error', reject)
    upload.flushHeaders()
  })
}
