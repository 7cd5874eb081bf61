/** Changing the number of copies through the Admin API, over the real storage. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { events } from '#kernel'
import { promised, type TestKernel, testKernel } from '#kernel/testing'
import { builtinPlugins } from '../../index.ts'
import { changeCopyPolicy, showBucket } from './bucket-api.ts'

const config = {
  'server.port': '127.0.0.1:0',
  'chain.private_key': '42'.repeat(32),
  // Nothing listens there: changing a policy needs no chain.
  'chain.rpc_url': 'http://127.0.0.1:9/',
  'chain.default_copies': 4,
}

let gateway: TestKernel
beforeAll(async () => {
  gateway = await testKernel({ plugins: builtinPlugins, config })
})
afterAll(() => gateway.stop())

let made = 0

/** A new bucket with a target of 4 and a minimum of 2, by default. Resolves with its name. */
async function makeBucket(copies: object = { default_copies: 4, minimum_durable_copies: 2 }): Promise<string> {
  made += 1
  const name = `bucket-${made}`
  const { status } = await gateway.call('POST', '/api/v1/buckets', { name, owner_access_key: '__internal_root__', ...copies })
  expect(status).toBe(201)
  return name
}

const put = (bucket: string, body: unknown) => gateway.call('PUT', `/api/v1/buckets/${bucket}/copy-policy`, body)

async function copiesOf(bucket: string): Promise<readonly [target: number, minimum: number]> {
  const { default_copies, minimum_durable_copies } = promised(showBucket, await gateway.call('GET', `/api/v1/buckets/${bucket}`))
  return [default_copies, minimum_durable_copies]
}

async function reviewsOf(bucket: string) {
  const { body } = await gateway.call('GET', '/api/v1/tasks?type=cache_reconcile_durability')
  return body.tasks.filter(({ subject }: { subject: { bucket: string } }) => subject.bucket === bucket)
}

test('a bucket without a policy takes the configured copies as target and minimum', async () => {
  expect(await copiesOf(await makeBucket({}))).toEqual([4, 4])
})

test.each([
  ['the target alone is raised', { default_copies: 6 }, [6, 2]],
  ['the minimum alone is changed', { minimum_durable_copies: 3 }, [4, 3]],
  ['both are changed', { default_copies: 8, minimum_durable_copies: 8 }, [8, 8]],
  ['a null minimum is the target', { minimum_durable_copies: null }, [4, 4]],
  ['a null minimum is the target of the same request', { default_copies: 5, minimum_durable_copies: null }, [5, 5]],
  ['a null target is the configured one', { default_copies: null, minimum_durable_copies: 1 }, [4, 1]],
])('rules 1, 2 and 3: %s', async (_name, body, copies) => {
  const name = await makeBucket()
  const changed = promised(changeCopyPolicy, await put(name, body))
  expect(changed).toMatchObject({ name, default_copies: copies[0], minimum_durable_copies: copies[1], status: 'active' })
  expect(await copiesOf(name)).toEqual(copies)
})

test('rule 2: a null target raises a bucket that is below the configured one', async () => {
  const name = await makeBucket({ default_copies: 2, minimum_durable_copies: 2 })
  expect(promised(changeCopyPolicy, await put(name, { default_copies: null }))).toMatchObject({
    default_copies: 4,
    minimum_durable_copies: 2,
  })
})

const refusals: readonly (readonly [rule: string, body: unknown, code: string])[] = [
  ['rule 3: no copies', { default_copies: 0 }, 'copy_policy_invalid'],
  ['rule 3: nine copies', { default_copies: 9 }, 'copy_policy_invalid'],
  ['rule 3: a fraction', { minimum_durable_copies: 1.5 }, 'copy_policy_invalid'],
  ['rule 3: a text', { default_copies: '5' }, 'copy_policy_invalid'],
  ['rule 3: a truth', { minimum_durable_copies: true }, 'copy_policy_invalid'],
  ['rule 3: a list', { default_copies: [5] }, 'copy_policy_invalid'],
  ['rule 4: a minimum above the target', { minimum_durable_copies: 5 }, 'copy_policy_minimum_exceeds_target'],
  [
    'rule 4: a minimum above the target of the same request',
    { default_copies: 5, minimum_durable_copies: 6 },
    'copy_policy_minimum_exceeds_target',
  ],
  ['rule 5: an empty request', {}, 'copy_policy_empty'],
  ['rule 5: a list', [], 'invalid_request'],
  ['rule 5: an unknown member', { default_copies: 5, copies: 5 }, 'invalid_request'],
  ['rule 6: a lower target', { default_copies: 3 }, 'copy_policy_lowering_unsupported'],
  ['rule 6: a lower target with a minimum that fits', { default_copies: 3, minimum_durable_copies: 2 }, 'copy_policy_lowering_unsupported'],
]

test.each(refusals)('%s is refused and changes nothing', async (_rule, body, code) => {
  const name = await makeBucket()
  expect(await put(name, body)).toMatchObject({ status: 400, body: { code, error: expect.any(String) } })
  expect(await copiesOf(name)).toEqual([4, 2])
  expect(await reviewsOf(name)).toEqual([])
})

test('rule 6: a null target below the current one is refused, also with a null minimum', async () => {
  const name = await makeBucket({ default_copies: 6, minimum_durable_copies: 2 })
  for (const body of [{ default_copies: null }, { default_copies: null, minimum_durable_copies: null }]) {
    expect(await put(name, body)).toMatchObject({ status: 400, body: { code: 'copy_policy_lowering_unsupported' } })
  }
  expect(await copiesOf(name)).toEqual([6, 2])
})

test('rule 7: a changed minimum starts a review of the cache, a changed target does not', async () => {
  const name = await makeBucket()
  await put(name, { default_copies: 5 })
  await put(name, { minimum_durable_copies: 2 })
  expect(await reviewsOf(name)).toEqual([])
  await put(name, { minimum_durable_copies: 3 })
  await expect.poll(async () => (await reviewsOf(name))[0]?.status).toBe('completed')
  expect(await reviewsOf(name)).toMatchObject([{ operation: 'Review cache durability', subject: { type: 'bucket', bucket: name } }])
})

test('every change is announced as an event', async () => {
  const name = await makeBucket()
  const told: unknown[] = []
  const stop = gateway.kernel.get(events).subscribe(({ topic, payload }) => {
    if (topic === 'bucket_updated') told.push(payload)
  })
  await put(name, { default_copies: 5 })
  await put(name, { default_copies: 4 })
  stop()
  expect(told).toEqual([{ bucket_name: name }])
})

test.each([
  ['nothing-here', 404, 'bucket_not_found'],
  ['Not_A_Bucket', 400, 'invalid_bucket_name'],
])('the bucket %s has no policy to change', async (name, status, code) => {
  expect(await put(name, { default_copies: 5 })).toMatchObject({ status, body: { code } })
})
