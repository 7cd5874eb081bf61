import { CreateBucketCommand, ListBucketsCommand, PutBucketVersioningCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway } from '../../testing/test-gateway.ts'

let gateway: Awaited<ReturnType<typeof startTestGateway>>

beforeAll(async () => {
  gateway = await startTestGateway()
  const client = gateway.client()
  for (const Bucket of ['alpha', 'beta-1', 'beta-2', 'beta-3']) await client.send(new CreateBucketCommand({ Bucket }))
  await gateway.client(gateway.users.other).send(new CreateBucketCommand({ Bucket: 'beta-of-other' }))
})

afterAll(() => gateway[Symbol.asyncDispose]())

test.each([
  ['website', 404, 'NoSuchWebsiteConfiguration'],
  ['replication', 404, 'ReplicationConfigurationNotFoundError'],
  ['encryption', 404, 'ServerSideEncryptionConfigurationNotFoundError'],
  ['policy', 404, 'NoSuchBucketPolicy'],
  ['object-lock', 404, 'ObjectLockConfigurationNotFoundError'],
  ['publicAccessBlock', 404, 'NoSuchPublicAccessBlockConfiguration'],
  ['logging', 200, '<BucketLoggingStatus xmlns="http://s3.amazonaws.com/doc/2006-03-01/"></BucketLoggingStatus>'],
  ['notification', 200, '<NotificationConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"></NotificationConfiguration>'],
  ['accelerate', 200, '<AccelerateConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"></AccelerateConfiguration>'],
  ['requestPayment', 200, '<Payer>BucketOwner</Payer>'],
  ['policyStatus', 200, '<IsPublic>false</IsPublic>'],
])('the owner and admins read ?%s: %i %s', async (subResource, status, text) => {
  const read = { method: 'GET', url: `/alpha?${subResource}` }
  for (const user of [gateway.users.owner, gateway.users.admin]) {
    expect(await gateway.send({ ...read, user })).toMatchObject({ status, body: expect.stringContaining(text) })
  }
  expect(await gateway.send({ ...read, user: gateway.users.other })).toMatchObject({ status: 403, code: 'AccessDenied' })
  expect(await gateway.sendUnsigned('GET', read.url)).toMatchObject({ status: 403, code: 'AccessDenied' })
  expect(await gateway.send({ ...read, url: `/absent?${subResource}` })).toMatchObject({ status: 404, code: 'NoSuchBucket' })
  // Nothing claims to have stored a configuration.
  if (subResource === 'policyStatus' || subResource === 'publicAccessBlock') return
  expect(await gateway.send({ method: 'PUT', url: read.url, body: '<x/>' })).toMatchObject({ status: 501, code: 'NotImplemented' })
})

test.each([
  ['<Status>Enabled</Status>', 200, ''],
  ['<Status>Enabled</Status><MfaDelete>Disabled</MfaDelete>', 200, ''],
  ['<Status>Suspended</Status>', 409, 'InvalidBucketState'],
  ['<Status>Enabled</Status><MfaDelete>Enabled</MfaDelete>', 501, 'NotImplemented'],
  ['', 400, 'IllegalVersioningConfigurationException'],
  ['<Status>On</Status>', 400, 'MalformedXML'],
])('versioning set to "%s" is answered with %i %s', async (content, status, code) => {
  const body = `<VersioningConfiguration>${content}</VersioningConfiguration>`
  expect(await gateway.send({ method: 'PUT', url: '/alpha?versioning', body })).toMatchObject({ status, code })
})

test('who may not change versioning is refused, and the refusal of a suspension says that buckets are always versioned', async () => {
  const enable = { Bucket: 'alpha', VersioningConfiguration: { Status: 'Enabled' } } as const
  await gateway.client(gateway.users.admin).send(new PutBucketVersioningCommand(enable))
  const { other, owner } = gateway.users
  await expect(gateway.client(other).send(new PutBucketVersioningCommand(enable))).rejects.toMatchObject({ name: 'AccessDenied' })
  await expect(
    gateway.client(owner).send(new PutBucketVersioningCommand({ Bucket: 'alpha', VersioningConfiguration: { Status: 'Suspended' } })),
  ).rejects.toMatchObject({ name: 'InvalidBucketState', message: expect.stringContaining('always versioned') })
})

test('buckets are listed in pages, by prefix, each once, and only those of the caller', async () => {
  const client = gateway.client()
  const pages: (string | undefined)[][] = []
  let ContinuationToken: string | undefined
  do {
    const page = await client.send(
      new ListBucketsCommand({ MaxBuckets: 2, Prefix: 'beta', ...(ContinuationToken && { ContinuationToken }) }),
    )
    expect(page.Prefix).toBe('beta')
    pages.push((page.Buckets ?? []).map(({ Name }) => Name))
    ContinuationToken = page.ContinuationToken
  } while (ContinuationToken)
  expect(pages).toEqual([['beta-1', 'beta-2'], ['beta-3']])
  const all = await gateway.client(gateway.users.admin).send(new ListBucketsCommand({ Prefix: 'beta' }))
  expect(all.Buckets?.map(({ Name }) => Name)).toEqual(['beta-1', 'beta-2', 'beta-3', 'beta-of-other'])
  expect((await client.send(new ListBucketsCommand({ BucketRegion: 'eu-west-1' }))).Buckets).toEqual([])
})

test.each(['max-buckets=0', 'max-buckets=x', 'max-buckets=-1'])('a list of buckets with %s is refused', async (query) => {
  expect(await gateway.send({ method: 'GET', url: `/?${query}` })).toMatchObject({ status: 400, code: 'InvalidArgument' })
})
