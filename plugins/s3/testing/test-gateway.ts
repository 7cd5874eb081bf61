/** A kernel with real storage on a temporary database, the S3 API on a free loopback port, and one user of each role. */
import { S3Client } from '@aws-sdk/client-s3'
import type { Plugin } from '#kernel'
import { testKernel } from '#kernel/testing'
import { storagePlugin } from '../../storage/plugin.ts'
import type { S3Role } from '../contract.ts'
import { s3Plugin } from '../plugin.ts'
import { exchangeRaw } from './raw-exchange.ts'
import { type SignedRequestOptions, signedRequest } from './signed-request.ts'

interface TestUser {
  readonly accessKey: string
  readonly ownerId: string
  readonly secretKey: string
}

type Request = Omit<SignedRequestOptions, 'user'> & { readonly user?: TestUser }

/** `settings`: by name, such as `s3.public_access`. `others`: further plugins. */
export async function startTestGateway(settings: Readonly<Record<string, string | boolean | number>> = {}, others: readonly Plugin[] = []) {
  const svc = await testKernel({ plugins: [storagePlugin, s3Plugin, ...others], config: { ...settings, 'server.port': '127.0.0.1:0' } })
  const url = svc.kernel.urls.s3 ?? ''
  const port = Number(new URL(url).port)
  const addUser = async (role: S3Role): Promise<TestUser> => {
    const { body } = await svc.call('POST', '/api/v1/s3-users', { role })
    return { accessKey: body.access_key, ownerId: body.owner_id, secretKey: body.secret_key }
  }
  const owner = await addUser('userplus')
  const users = { owner, other: await addUser('userplus'), plain: await addUser('user'), admin: await addUser('admin') }
  const clients: S3Client[] = []
  return {
    url,
    users,
    /** The Admin API. */
    call: svc.call,
    client(user: TestUser = owner): S3Client {
      const credentials = { accessKeyId: user.accessKey, secretAccessKey: user.secretKey }
      const client = new S3Client({ endpoint: url, region: 'us-east-1', forcePathStyle: true, maxAttempts: 1, credentials })
      clients.push(client)
      return client
    },
    /** Signed by `user`, by default the owner. */
    send({ user = owner, ...request }: Request) {
      const { head, body } = signedRequest(port, { ...request, user })
      return exchangeRaw(port, [head, body])
    },
    sendUnsigned: (method: string, path: string, headers: Readonly<Record<string, string>> = {}, body: string | Buffer = '') =>
      exchangeRaw(port, [
        `${method} ${path} HTTP/1.1\r\n${Object.entries({ host: `127.0.0.1:${port}`, ...headers })
          .map(([name, value]) => `${name}: ${value}\r\n`)
          .join('')}\r\n`,
        body,
      ]),
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.destroy()
      await svc.stop()
    },
  }
}
