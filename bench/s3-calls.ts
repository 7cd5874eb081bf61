// Signed requests whose answers are read: what a bench needs besides the raw connections that make its load.
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { type SignedRequestOptions, signedHeaders } from '../plugins/s3/testing/signed-request.ts'
import type { S3Credentials } from './bench-server.ts'

const callMsMax = 60_000
const agent = new Agent({ keepAlive: true })

interface CallTarget {
  readonly port: number
  readonly user: S3Credentials
}

interface Answer {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** The server answered, and did not do what was asked. */
export class RefusedRequest extends Error {}

/** @throws RefusedRequest when the answer has another status than 200 or 204, or holds an Error document */
export async function sendRequest({ port, user }: CallTarget, options: Omit<SignedRequestOptions, 'user'>): Promise<Answer> {
  const { headers, body } = signedHeaders(port, { ...options, user })
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const signal = AbortSignal.timeout(callMsMax)
  request({ host: '127.0.0.1', port, method: options.method, path: options.url, headers, agent, signal }, (response) => {
    text(response).then((answer) => {
      const isRefused = (response.statusCode !== 200 && response.statusCode !== 204) || /<Error>/.test(answer)
      if (isRefused) reject(new RefusedRequest(`${options.method} ${options.url}: status ${response.statusCode}: ${answer.slice(0, 2048)}`))
      else resolve({ headers: response.headers, body: answer })
    }, reject)
  })
    .on('error', reject)
    .end(body)
  return promise
}
