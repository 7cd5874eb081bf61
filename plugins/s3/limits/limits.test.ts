import { afterEach, expect, test } from 'vitest'
import { startTestGateway } from '../testing/test-gateway.ts'

type Gateway = Awaited<ReturnType<typeof startTestGateway>>
let gateway: Gateway
afterEach(() => gateway[Symbol.asyncDispose]())

const start = async (settings: Readonly<Record<string, number>>) => {
  gateway = await startTestGateway(Object.fromEntries(Object.entries(settings).map(([name, value]) => [`s3.limits.${name}`, value])))
}
const put = (key: string, options: Partial<Parameters<Gateway['send']>[0]> = {}, bytes = 200) =>
  gateway.send({ method: 'PUT', url: `/${key}`, body: 'x'.repeat(bytes), ...options })
const bucket = (name: string, user = gateway.users.owner) => gateway.send({ method: 'PUT', url: `/${name}`, user })
const userOf = async (user = gateway.users.owner) =>
  (await gateway.call('GET', '/api/v1/s3-users')).body.find(({ access_key }: { access_key: string }) => access_key === user.accessKey)
const quota = (...parts: readonly string[]) => ({
  status: 403,
  code: 'ServiceQuotaExceededException',
  body: expect.stringMatching(parts.map((part) => part.replace(/[()]/g, '\\$&')).join('.*')),
})

test('I-46: of many objects that are put at once, exactly as many as the limit allows are stored', async () => {
  await start({ user_objects: 5 })
  await bucket('mine')
  const answers = await Promise.all(Array.from({ length: 12 }, (_, at) => put(`mine/k${at % 3}`)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
  for (const refused of answers.filter(({ status }) => status !== 200)) {
    expect(refused).toMatchObject(quota('the limit is 5', '(s3.limits.user_objects)', 'svc admin s3-user limits'))
  }
  expect(await userOf()).toMatchObject({ usage: { objects: 5, bytes: 1000 }, limits: { objects: 5, bytes: null } })
  // Another user has a limit of its own.
  await bucket('theirs', gateway.users.other)
  expect(await put('theirs/k', { user: gateway.users.other })).toMatchObject({ status: 200 })
})

test('I-46: a limit of bytes holds for every way to add a version, and ends when versions are deleted', async () => {
  await start({ user_bytes: 1000 })
  await bucket('mine')
  const first = await put('mine/k', {}, 600)
  const id = (await gateway.send({ method: 'POST', url: '/mine/parts?uploads' })).body.match(/(?<=<UploadId>)[^<]+/)?.[0]
  const part = await put(`mine/parts?partNumber=1&uploadId=${id}`, {}, 400)
  expect(part).toMatchObject({ status: 200 })
  expect(await put('mine/k', {}, 401)).toMatchObject(quota('would have 1001 bytes', 'the limit is 1000'))
  expect(await put('mine/copy', { body: '', headers: { 'x-amz-copy-source': '/mine/k' } })).toMatchObject(quota('would have 1200 bytes'))
  expect(await put(`mine/parts?partNumber=2&uploadId=${id}`, {}, 401)).toMatchObject(quota('would have 1001 bytes'))
  expect(await put('mine/fits', {}, 300)).toMatchObject({ status: 200 })
  const list = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${part.headers.get('etag')}</ETag></Part></CompleteMultipartUpload>`
  const complete = () => gateway.send({ method: 'POST', url: `/mine/parts?uploadId=${id}`, body: list })
  expect(await complete()).toMatchObject(quota('would have 1300 bytes'))
  await gateway.send({ method: 'DELETE', url: `/mine/k?versionId=${first.headers.get('x-amz-version-id')}` })
  expect(await complete()).toMatchObject({ status: 200 })
  expect(await userOf()).toMatchObject({ usage: { objects: 2, bytes: 700 } })
})

test('I-46: the quota of a bucket holds for every way to add a version, for all writers together and at once', async () => {
  await start({})
  await bucket('mine')
  await bucket('free')
  const change = (limits: object) => gateway.call('PUT', '/api/v1/buckets/mine/s3-settings/quota', limits)
  const usage = { objects: 0, bytes: 0 }
  expect(await change({ objects: 5 })).toMatchObject({ status: 200, body: { objects: 5, bytes: null, usage } })
  const answers = await Promise.all(Array.from({ length: 12 }, (_, at) => put(`mine/k${at % 3}`)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
  for (const refused of answers.filter(({ status }) => status !== 200)) {
    expect(refused).toMatchObject(quota('the bucket would have 6 object versions', 'the limit is 5', '(svc admin bucket quota)'))
  }
  expect(await put('free/k')).toMatchObject({ status: 200 })
  // Lower than what is stored: that stays, and nothing more is taken.
  expect(await change({ objects: null, bytes: 900 })).toMatchObject({
    body: { objects: null, bytes: 900, usage: { objects: 5, bytes: 1000 } },
  })
  expect(await put('mine/k')).toMatchObject(quota('the bucket would have 1200 bytes', 'the limit is 900'))
  expect(await put('mine/copy', { body: '', headers: { 'x-amz-copy-source': '/free/k' } })).toMatchObject(quota('1200 bytes'))
  expect(await gateway.send({ method: 'GET', url: '/mine/k0' })).toMatchObject({ status: 200 })
  expect(await change({ bytes: 1200 })).toMatchObject({ status: 200 })
  expect(await put('mine/k')).toMatchObject({ status: 200 })
})

test('what others write into a bucket is charged to its owner', async () => {
  await start({ user_objects: 1 })
  const { other } = gateway.users
  await gateway.send({ method: 'PUT', url: '/shared', headers: { 'x-amz-grant-write': `id="${other.ownerId}"` } })
  expect(await put('shared/k', { user: other })).toMatchObject({ status: 200 })
  expect(await put('shared/k', { user: other })).toMatchObject(quota('the owner of the bucket would have 2 object versions'))
  expect(await userOf(other)).toMatchObject({ usage: { objects: 0 } })
  await bucket('own', other)
  expect(await put('own/k', { user: other })).toMatchObject({ status: 200 })
})

test('I-46: a user cannot create more buckets than its limit, also at once', async () => {
  await start({ user_buckets: 3, total_buckets: 4 })
  const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => bucket(`bucket-${at}`)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
  const refusal = { status: 400, code: 'TooManyBuckets', body: expect.stringContaining('the limit is 3') }
  for (const refused of answers.filter(({ status }) => status !== 200)) expect(refused).toMatchObject(refusal)
  expect(await bucket('theirs-1', gateway.users.other)).toMatchObject({ status: 200 })
  expect(await bucket('theirs-2', gateway.users.other)).toMatchObject({
    code: 'TooManyBuckets',
    body: expect.stringMatching(/this gateway would have 5 buckets; the limit is 4.*\(s3\.limits\.total_buckets\)/),
  })
})

test('I-46: a user that creates and deletes buckets in a loop is stopped for the rest of the day', async () => {
  await start({ user_data_sets_per_day: 2, total_data_sets_per_day: 3 })
  const loop = async (name: string, user = gateway.users.owner) => {
    const made = await bucket(name, user)
    if (made.status === 200) expect(await gateway.send({ method: 'DELETE', url: `/${name}`, user })).toMatchObject({ status: 204 })
    return made
  }
  // Each bucket has one copy without a plugin that keeps copies.
  for (const name of ['one-1', 'one-2']) expect(await loop(name)).toMatchObject({ status: 200 })
  const refused = await loop('one-3')
  expect(refused).toMatchObject({ status: 503, code: 'SlowDown', body: expect.stringContaining('would need 3 paid data sets') })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(24 * 60 * 60)
  expect(await loop('two-1', gateway.users.other)).toMatchObject({ status: 200 })
  expect(await loop('two-2', gateway.users.other)).toMatchObject({
    code: 'SlowDown',
    body: expect.stringContaining('(s3.limits.total_data_sets_per_day)'),
  })
  expect(await userOf()).toMatchObject({ usage: { buckets: 0, data_sets_today: 2 }, limits: { data_sets_per_day: 2 } })
  expect((await gateway.call('GET', '/api/v1/s3-limits')).body).toEqual({
    usage: { buckets: 0, objects: 0, bytes: 0, data_sets_today: 3 },
    limits: { buckets: null, objects: null, bytes: null, data_sets_per_day: 3 },
  })
})

test('an operator sets limits of one user, which replace those of the settings until they are removed', async () => {
  await start({ user_objects: 1, user_buckets: 1 })
  const { owner } = gateway.users
  const set = (limits: object) => gateway.call('PUT', `/api/v1/s3-users/${owner.accessKey}/limits`, limits)
  await bucket('mine')
  await put('mine/k')
  expect(await put('mine/k')).toMatchObject(quota('the limit is 1'))
  expect(await set({ objects: 2, bytes: 450 })).toMatchObject({
    status: 200,
    body: { limits: { buckets: 1, objects: 2, bytes: 450, data_sets_per_day: 300 }, own_limits: ['objects', 'bytes'] },
  })
  expect(await put('mine/k')).toMatchObject({ status: 200 })
  expect(await put('mine/k')).toMatchObject(quota('the limit is 2'))
  expect(await set({ objects: 0 })).toMatchObject({ body: { limits: { objects: null, bytes: 450 } } })
  expect(await put('mine/k')).toMatchObject(quota('the limit is 450'))
  expect(await set({ objects: null, bytes: null })).toMatchObject({ body: { limits: { objects: 1, bytes: null }, own_limits: [] } })
  expect(await put('mine/k')).toMatchObject(quota('the limit is 1'))
  for (const wrong of [{}, { objects: -1 }, { objects: 1.5 }, { buckets: 'none' }, { copies: 1 }]) {
    expect(await set(wrong)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  }
  expect(await gateway.call('PUT', '/api/v1/s3-users/nobody/limits', { objects: 1 })).toMatchObject({ status: 404 })
})
