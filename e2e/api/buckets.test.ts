/** Buckets over HTTP: list, creation, detail, owner, and the unsupported deletion. */
import { CreateBucketCommand, HeadBucketCommand } from '@aws-sdk/client-s3'
import { beforeAll, describe, expect, test } from 'vitest'
import { changeOwner, createBucket, listBuckets, showBucket } from '../../plugins/admin/api.ts'
import { createUser } from '../../plugins/s3/api.ts'
import { answerOf, refusalOf } from '../fixtures/admin-answers.ts'
import { type AdminData, createAdminData, internalRoot } from '../fixtures/admin-data.ts'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { sharedServe } from '../fixtures/gateways/shared-serve.ts'

let svc: Gateway
let data: AdminData
beforeAll(async () => {
  svc = await sharedServe()
  data = createAdminData(svc)
})

const path = '/api/v1/buckets'
const create = (json: unknown) => svc.call('POST', path, { json })
const list = async () => answerOf(listBuckets, await svc.call('GET', path))
const show = async (name: string) => answerOf(showBucket, await svc.call('GET', `${path}/${name}`))
const owned = (name: string, copies: object = {}) => ({ name, owner_access_key: internalRoot, ...copies })
const makeUser = async () => answerOf(createUser, await svc.call('POST', '/api/v1/s3-users', { json: {} })).access_key

describe('creation', () => {
  test('takes omitted members from the configuration: three copies, all of them before eviction', async () => {
    const reply = await create(owned('configured'))
    expect(reply.status).toBe(201)
    expect(answerOf(createBucket, reply)).toEqual({
      id: expect.any(Number),
      name: 'configured',
      owner_access_key: internalRoot,
      default_copies: 3,
      minimum_durable_copies: 3,
      status: 'active',
    })
  })

  test.each([
    ['only a target', { default_copies: 5 }, [5, 5]],
    ['a target below the configured one', { default_copies: 1 }, [1, 1]],
    ['only a minimum', { minimum_durable_copies: 2 }, [3, 2]],
    ['both', { default_copies: 8, minimum_durable_copies: 1 }, [8, 1]],
    ['nulls, which count as left out', { default_copies: null, minimum_durable_copies: null }, [3, 3]],
  ])('with %s', async (what, copies, expected) => {
    const made = answerOf(createBucket, await create(owned(`made-with-${what.replaceAll(/[^a-z]/g, '-')}`, copies)))
    expect([made.default_copies, made.minimum_durable_copies]).toEqual(expected)
  })

  test.each([
    ['copies above eight', { default_copies: 9 }, 'invalid_request'],
    ['no copies', { default_copies: 0 }, 'invalid_request'],
    ['a fraction of a copy', { minimum_durable_copies: 1.5 }, 'invalid_request'],
    ['copies as a text', { default_copies: '2' }, 'invalid_request'],
    ['a minimum above the target', { default_copies: 2, minimum_durable_copies: 3 }, 'copy_policy_minimum_exceeds_target'],
    ['a minimum above the configured target', { minimum_durable_copies: 4 }, 'copy_policy_minimum_exceeds_target'],
    ['an owner that does not exist', { owner_access_key: 'nobody' }, 'owner_unknown'],
    ['an empty owner', { owner_access_key: '' }, 'invalid_request'],
    ['no owner', { owner_access_key: undefined }, 'invalid_request'],
    ['a null owner', { owner_access_key: null }, 'invalid_request'],
    ['an unknown member', { region: 'us-east-1' }, 'invalid_request'],
  ])('with %s is refused with 400 and creates nothing', async (_what, members, code) => {
    expect(refusalOf(await create(owned('refused', members)))).toEqual([400, code])
    expect((await list()).map(({ name }) => name)).not.toContain('refused')
  })

  test.each([
    '',
    'ab',
    'x'.repeat(64),
    'Capital',
    'under_score',
    '-dash',
    'dash-',
    'a b',
    'a/b',
    '..',
    'ünïcode',
    'nul\0',
    '10.0.0.1',
    'a..b',
  ])('with the name %j is refused with 400', async (name) => {
    expect(refusalOf(await create(owned(name)))).toEqual([400, 'invalid_bucket_name'])
  })

  test.each(['abc', 'x'.repeat(63), '0-9'])('with the name %j is accepted', async (name) => {
    expect((await create(owned(name))).status).toBe(201)
  })

  test.each([
    ['no name', { owner_access_key: internalRoot }],
    ['a number for a name', { name: 5, owner_access_key: internalRoot }],
    ['a list', []],
    ['a text', 'photos'],
  ])('with %s is refused with 400', async (_what, json) => {
    expect(refusalOf(await create(json))).toEqual([400, 'invalid_request'])
  })

  test.each(['', '{', '{"name":"aaa","owner_access_key":"__internal_root__"} x', '{"name":"aaa","name":"bbb","owner_access_key":"x"}'])(
    'with the body %j is refused with 400',
    async (body) => {
      expect(refusalOf(await svc.call('POST', path, { body }))).toEqual([400, 'invalid_request'])
    },
  )

  test('with a body above 4096 bytes is refused with 400', async () => {
    const body = JSON.stringify(owned('large')).padEnd(4097)
    expect(refusalOf(await svc.call('POST', path, { body }))).toEqual([400, 'invalid_request'])
  })

  test('with an existing name is refused with 409, also when the bucket was created through S3', async () => {
    await create(owned('taken'))
    expect(refusalOf(await create(owned('taken', { default_copies: 1 })))).toEqual([409, 'bucket_exists'])
    const user = await svc.createUser()
    const s3 = svc.connect(user)
    await s3.send(new CreateBucketCommand({ Bucket: 'taken-by-s3' }))
    s3.destroy()
    expect(refusalOf(await create(owned('taken-by-s3')))).toEqual([409, 'bucket_exists'])
    expect((await show('taken-by-s3')).owner_access_key).toBe(user.access_key)
  })

  test('concurrent requests create one bucket', async () => {
    const replies = await Promise.all(Array.from({ length: 10 }, () => create(owned('contested-creation'))))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, ...Array(9).fill(409)])
  })
})

describe('the list', () => {
  test('has every bucket in order of name, with its number of current objects', async () => {
    const bucket = await data.makeBucket()
    await data.upload(bucket, 'a', Buffer.alloc(200, 'a'))
    await data.upload(bucket, 'a', Buffer.alloc(300, 'b'))
    await data.upload(bucket, 'gone')
    await data.remove(bucket, 'gone')
    const buckets = await list()
    const names = buckets.map(({ name }) => name)
    expect(names).toEqual(names.toSorted())
    expect(buckets.find(({ name }) => name === bucket)).toEqual({
      id: expect.any(Number),
      name: bucket,
      owner_access_key: internalRoot,
      default_copies: 1,
      minimum_durable_copies: 1,
      status: 'active',
      object_count: 1,
      total_size_bytes: 300,
      storage_health: {
        status: 'available',
        reason_codes: [],
        stale: false,
        abnormal_data_sets: 0,
        affected_versions_capped: 0,
        affected_versions_cap: 200,
        affected_versions_exceeds_cap: false,
      },
      public_access: [],
      below_target: { stuck: 0, waiting: expect.any(Number), working: expect.any(Number) },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    })
  })
})

describe('the detail', () => {
  test('of a bucket without copies has no data sets and no replacements', async () => {
    const bucket = await data.makeBucket()
    expect(await show(bucket)).toMatchObject({
      name: bucket,
      object_count: 0,
      total_size_bytes: 0,
      versioning_status: 'Enabled',
      versioning_enforced: true,
      data_sets: [],
      replacements: [],
    })
  })

  test('of an empty name is 404', async () => {
    for (const method of ['GET', 'DELETE', 'PATCH']) expect(refusalOf(await svc.call(method, `${path}/`))).toEqual([404, 'not_found'])
  })

  test('of a missing bucket is 404, of an invalid name 400', async () => {
    expect(refusalOf(await svc.call('GET', `${path}/nowhere`))).toEqual([404, 'bucket_not_found'])
    for (const name of ['No', 'a_b', 'x'.repeat(64), '%2e%2e%2f', 'a%00b']) {
      expect(refusalOf(await svc.call('GET', `${path}/${name}`))).toEqual([400, 'invalid_bucket_name'])
    }
  })
})

describe('the owner', () => {
  const change = (bucket: string, json: unknown) => svc.call('PUT', `${path}/${bucket}/owner`, { json })

  test('can become another S3 user and the service itself again', async () => {
    const bucket = await data.makeBucket()
    const user = await makeUser()
    expect(answerOf(changeOwner, await change(bucket, { owner_access_key: user }))).toMatchObject({ name: bucket, owner_access_key: user })
    expect((await show(bucket)).owner_access_key).toBe(user)
    expect(answerOf(changeOwner, await change(bucket, { owner_access_key: internalRoot })).owner_access_key).toBe(internalRoot)
  })

  test('can use the bucket through S3 immediately', async () => {
    const bucket = await data.makeBucket()
    const reply = await svc.call('POST', '/api/v1/s3-users', { json: { role: 'user' } })
    const { access_key, secret_key } = answerOf(createUser, reply)
    const s3 = svc.connect({ access_key, secret_key })
    const head = () => s3.send(new HeadBucketCommand({ Bucket: bucket }))
    await expect(head()).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } })
    await change(bucket, { owner_access_key: access_key })
    await head()
    await change(bucket, { owner_access_key: internalRoot })
    await expect(head()).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } })
    s3.destroy()
  })

  test('that does not exist is 404; keys are case-sensitive', async () => {
    const bucket = await data.makeBucket()
    const user = await makeUser()
    const other = user.replaceAll(/[a-z]/gi, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()))
    for (const owner_access_key of ['nobody', other]) {
      expect(refusalOf(await change(bucket, { owner_access_key }))).toEqual([404, 's3_user_not_found'])
    }
    expect((await show(bucket)).owner_access_key).toBe(internalRoot)
  })

  test.each([
    {},
    { owner_access_key: '' },
    { owner_access_key: null },
    { owner_access_key: 5 },
    { owner_access_key: internalRoot, x: 1 },
    [],
  ])('in the body %j is refused with 400', async (json) => {
    expect(refusalOf(await change(await data.makeBucket(), json))).toEqual([400, 'invalid_request'])
  })

  test('of a bucket that does not exist is 404', async () => {
    expect(refusalOf(await change('nowhere', { owner_access_key: internalRoot }))).toEqual([404, 'bucket_not_found'])
  })
})

describe('deletion', () => {
  test('is answered 501, and the bucket stays', async () => {
    const bucket = await data.makeBucket()
    expect(refusalOf(await svc.call('DELETE', `${path}/${bucket}`))).toEqual([501, 'bucket_deletion_unsupported'])
    expect((await show(bucket)).name).toBe(bucket)
  })

  test.each(['nowhere', 'No_Bucket', 'a', 'x'.repeat(64), '..%2f', 'a%00b', '%F0%9F%98%80'])(
    'of %s, which does not exist, is answered 501 too',
    async (name) => {
      expect(refusalOf(await svc.call('DELETE', `${path}/${name}`))).toEqual([501, 'bucket_deletion_unsupported'])
      expect(refusalOf(await svc.call('DELETE', `${path}/${name}?force=true`, { body: '{' }))).toEqual([501, 'bucket_deletion_unsupported'])
    },
  )

  test('checks the credentials first', async () => {
    expect(refusalOf(await svc.call('DELETE', `${path}/nowhere`, { as: 'anonymous' }))).toEqual([401, 'authentication_required'])
  })
})
