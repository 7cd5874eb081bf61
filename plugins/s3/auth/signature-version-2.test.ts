import { expect, test } from 'vitest'
import { owner, startTestServer } from '../testing/test-server.ts'

const expires = Math.floor(Date.now() / 1000) + 600
const query = `AWSAccessKeyId=${owner.accessKey}&Signature=c2ln&Expires=${expires}`

test.each([
  ['a header', 'PUT /photos/key HTTP/1.1\r\nAuthorization: AWS owner-access-key:c2ln\r\nContent-Length: 0\r\n'],
  ['a presigned GET', `GET /photos/key?${query} HTTP/1.1\r\n`],
  ['a presigned PUT', `PUT /photos/key?${query} HTTP/1.1\r\nContent-Length: 0\r\n`],
  ['a presigned URL without its signature', `GET /photos/key?AWSAccessKeyId=${owner.accessKey} HTTP/1.1\r\n`],
])('a version 2 signature in %s is refused with the setting that signs with version 4', async (_, head) => {
  await using server = await startTestServer()
  const answer = await server.sendRaw(`${head}Host: 127.0.0.1:${server.port}\r\n\r\n`)
  expect(answer).toMatchObject({ status: 400, code: 'InvalidRequest' })
  expect(answer.body).toContain('Please use AWS4-HMAC-SHA256.')
  expect(answer.body).toContain('Set signature_version = s3v4')
  expect(answer.body).toContain('docs/guide/s3-clients.md')
})
