/** Senders that declare large bodies and send nearly nothing. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { watchProbes } from '#kernel/testing'
import { signedRequest } from '../testing/signed-request.ts'
import { owner, plain, startTestServer } from '../testing/test-server.ts'

const mib = 1024 ** 2
const maxBytes = 64 * mib

test('senders of large declared bodies take room only as bytes arrive: others, and their own user, still get room', async () => {
  await using server = await startTestServer({ storage: { maxBytes } })
  const bucket = await server.newBucket(plain.accessKey)
  const own = await server.newBucket()
  using probes = watchProbes()
  for (let n = 0; n < 8; n++) {
    const reserved = probes.reached('storage.put.reserved')
    const { head } = signedRequest(server.port, {
      method: 'PUT',
      url: `/${bucket}/slow-${n}`,
      user: plain,
      payload: 'UNSIGNED-PAYLOAD',
      unsignedHeaders: { 'content-length': String(60 * mib) },
    })
    const socket = connect(server.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    socket.write(`${head}first bytes`)
    await reserved
  }
  expect(server.storage.cache.stats().reservedBytes).toBeLessThan(4 * mib)
  const put = (user: typeof owner, at: string) => server.send({ method: 'PUT', url: `/${at}/key`, user, body: Buffer.alloc(20 * mib) })
  expect(await put(owner, own)).toMatchObject({ status: 200 })
  expect(await put(plain, bucket)).toMatchObject({ status: 200 })
})
