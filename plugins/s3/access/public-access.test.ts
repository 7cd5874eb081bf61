import { hash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestKernel, testKernel } from '#kernel/testing'
import { builtinPlugins } from '../../index.ts'
import { exchangeRaw } from '../testing/raw-exchange.ts'
import { type SignedRequestOptions, signedRequest } from '../testing/signed-request.ts'

const config = {
  'server.port': '127.0.0.1:0',
  's3.public_access': true,
  'chain.private_key': '42'.repeat(32),
  // Port 9 does not answer: lists need no chain.
  'chain.rpc_url': 'http://127.0.0.1:9/',
}

let gateway: TestKernel
let user: { readonly accessKey: string; readonly secretKey: string }
beforeAll(async () => {
  gateway = await testKernel({ plugins: builtinPlugins, config })
  const { body } = await gateway.call('POST', '/api/v1/s3-users', { role: 'userplus' })
  user = { accessKey: body.access_key, secretKey: body.secret_key }
})
afterAll(() => gateway.stop())

const everyone = 'uri="http://acs.amazonaws.com/groups/global/AllUsers"'

async function send(method: string, url: string, options: Partial<SignedRequestOptions> = {}) {
  const port = Number(new URL(gateway.kernel.urls.s3 ?? '').port)
  const { head, body } = signedRequest(port, { method, url, user, ...options })
  const answer = await exchangeRaw(port, [head, body])
  expect(answer.body).not.toContain('<Error>')
  return answer
}

/** What the list and the details of the bucket say. */
async function shown(bucket: string): Promise<readonly string[]> {
  const { body: list } = await gateway.call('GET', '/api/v1/buckets')
  const { body: detail } = await gateway.call('GET', `/api/v1/buckets/${bucket}`)
  const item = list.find(({ name }: { readonly name: string }) => name === bucket)
  expect(item.public_access).toEqual(detail.public_access)
  return detail.public_access
}

const body = 'x'.repeat(200)
const acl = (list: string) => ({ headers: { 'x-amz-acl': list } })

test('operators see what the list of a bucket gives to anonymous callers', async () => {
  await send('PUT', '/listed')
  expect(await shown('listed')).toEqual([])
  await send('PUT', '/listed?acl', acl('authenticated-read'))
  expect(await shown('listed')).toEqual([])
  await send('PUT', '/listed?acl', acl('public-read-write'))
  expect(await shown('listed')).toEqual(['list', 'write'])
  await send('PUT', '/listed?acl', { headers: { 'x-amz-grant-full-control': everyone } })
  expect(await shown('listed')).toEqual(['list', 'write', 'read_acl', 'write_acl'])
  await send('PUT', '/listed?acl', acl('private'))
  expect(await shown('listed')).toEqual([])
})

test('operators see a bucket with one readable version until that version is private or deleted', async () => {
  await send('PUT', '/read')
  await send('PUT', '/private')
  await send('PUT', '/private/k', { body })
  await send('PUT', '/read/k', { body, ...acl('public-read') })
  expect(await shown('read')).toEqual(['read'])
  // The public version can still be read by its id.
  const kept = await send('PUT', '/read/k', { body })
  expect(await shown('read')).toEqual(['read'])
  const { body: versions } = await send('GET', '/read?versions')
  const published = versions.match(/(?<=<VersionId>)[^<]+/g)?.find((id) => id !== kept.headers.get('x-amz-version-id'))
  await send('DELETE', `/read/k?versionId=${published}`)
  expect(await shown('read')).toEqual([])
  await send('PUT', '/read/k?acl', acl('public-read'))
  expect(await shown('read')).toEqual(['read'])
  await send('PUT', '/read/k?acl', acl('private'))
  expect(await shown('read')).toEqual([])
  const id = (await send('POST', '/read/parts?uploads', acl('public-read'))).body.match(/(?<=<UploadId>)[^<]+/)?.[0]
  const part = await send('PUT', `/read/parts?partNumber=1&uploadId=${id}`, { body })
  expect(await shown('read')).toEqual([])
  const list = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${part.headers.get('etag')}</ETag></Part></CompleteMultipartUpload>`
  await send('POST', `/read/parts?uploadId=${id}`, { body: list })
  expect(await shown('read')).toEqual(['read'])
  expect(await shown('private')).toEqual([])
})

test('a bucket with a public access block, or without lists, is not marked', async () => {
  const withDigest = (body: string) => ({ body, headers: { 'content-md5': hash('md5', body, 'base64') } })
  const block = (isOn: boolean) =>
    withDigest(`<PublicAccessBlockConfiguration><IgnorePublicAcls>${isOn}</IgnorePublicAcls></PublicAccessBlockConfiguration>`)
  await send('PUT', '/blocked', acl('public-read'))
  await send('PUT', '/blocked/k', { body, ...acl('public-read') })
  expect(await shown('blocked')).toEqual(['list', 'read'])
  await send('PUT', '/blocked?publicAccessBlock', block(true))
  expect(await shown('blocked')).toEqual([])
  await send('PUT', '/blocked?publicAccessBlock', block(false))
  expect(await shown('blocked')).toEqual(['list', 'read'])
  await send('PUT', '/blocked?acl', acl('private'))
  expect(await shown('blocked')).toEqual(['read'])
  const rule = '<OwnershipControls><Rule><ObjectOwnership>BucketOwnerEnforced</ObjectOwnership></Rule></OwnershipControls>'
  await send('PUT', '/blocked?ownershipControls', withDigest(rule))
  expect(await shown('blocked')).toEqual([])
})
