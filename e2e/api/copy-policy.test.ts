/** The copy policy of a bucket over HTTP: the seven rules of the specification. Three copies are configured. */
import { beforeAll, expect, test } from 'vitest'
import { changeCopyPolicy, showBucket } from '../../plugins/admin/api.ts'
import { answerOf, refusalOf } from '../fixtures/admin-answers.ts'
import { type AdminData, createAdminData } from '../fixtures/admin-data.ts'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { sharedServe } from '../fixtures/gateways/shared-serve.ts'
import { until } from '../fixtures/until.ts'

let svc: Gateway
let data: AdminData
beforeAll(async () => {
  svc = await sharedServe()
  data = createAdminData(svc)
})

const configured = 3

const policyOf = (bucket: string) => `/api/v1/buckets/${bucket}/copy-policy`
const change = (bucket: string, json: unknown) => svc.call('PUT', policyOf(bucket), { json })
const bucketWith = (target: number, minimum: number) => data.makeBucket({ default_copies: target, minimum_durable_copies: minimum })

async function copiesOf(bucket: string) {
  const detail = answerOf(showBucket, await svc.call('GET', `/api/v1/buckets/${bucket}`))
  return [detail.default_copies, detail.minimum_durable_copies]
}

test.each([
  ['rule 1: a target alone leaves the minimum', { default_copies: 5 }, [5, 2]],
  ['rule 1: a minimum alone leaves the target', { minimum_durable_copies: 4 }, [4, 4]],
  ['rule 1: the target that is there changes nothing', { default_copies: 4 }, [4, 2]],
  ['rule 2: a null minimum becomes the target', { minimum_durable_copies: null }, [4, 4]],
  ['rule 2: a null minimum becomes the target of the same request', { default_copies: 6, minimum_durable_copies: null }, [6, 6]],
  ['rule 3: one is the least', { minimum_durable_copies: 1 }, [4, 1]],
  ['rule 3: eight are the most', { default_copies: 8, minimum_durable_copies: 8 }, [8, 8]],
  ['rule 4: the minimum may reach the target of the same request', { default_copies: 5, minimum_durable_copies: 5 }, [5, 5]],
])('%s', async (_rule, body, expected) => {
  const bucket = await bucketWith(4, 2)
  const changed = answerOf(changeCopyPolicy, await change(bucket, body))
  expect([changed.name, changed.default_copies, changed.minimum_durable_copies]).toEqual([bucket, ...expected])
  expect(await copiesOf(bucket)).toEqual(expected)
})

test('rule 2: a null target becomes the configured one', async () => {
  const bucket = await bucketWith(1, 1)
  const changed = answerOf(changeCopyPolicy, await change(bucket, { default_copies: null }))
  expect(changed).toMatchObject({ default_copies: configured, minimum_durable_copies: 1 })
})

test.each([
  ['rule 3: none', { default_copies: 0 }, 'copy_policy_invalid'],
  ['rule 3: nine', { default_copies: 9 }, 'copy_policy_invalid'],
  ['rule 3: a negative number', { minimum_durable_copies: -1 }, 'copy_policy_invalid'],
  ['rule 3: a fraction', { default_copies: 4.5 }, 'copy_policy_invalid'],
  ['rule 3: a text', { default_copies: '5' }, 'copy_policy_invalid'],
  ['rule 3: true', { minimum_durable_copies: true }, 'copy_policy_invalid'],
  ['rule 3: a list', { default_copies: [5] }, 'copy_policy_invalid'],
  ['rule 3: a good target beside a bad minimum', { default_copies: 5, minimum_durable_copies: 9 }, 'copy_policy_invalid'],
  ['rule 4: a minimum above the target', { minimum_durable_copies: 5 }, 'copy_policy_minimum_exceeds_target'],
  ['rule 4: a minimum above the new target', { default_copies: 5, minimum_durable_copies: 6 }, 'copy_policy_minimum_exceeds_target'],
  ['rule 5: nothing', {}, 'copy_policy_empty'],
  ['rule 5: an unknown member', { default_copies: 5, copies: 5 }, 'invalid_request'],
  ['rule 6: a lower target', { default_copies: 3 }, 'copy_policy_lowering_unsupported'],
  ['rule 6: a lower target and minimum', { default_copies: 1, minimum_durable_copies: 1 }, 'copy_policy_lowering_unsupported'],
  ['rule 6: a null that lands below', { default_copies: null }, 'copy_policy_lowering_unsupported'],
  [
    'rule 6: a null that lands below, with a null minimum',
    { default_copies: null, minimum_durable_copies: null },
    'copy_policy_lowering_unsupported',
  ],
])('%s is refused with 400 and changes nothing', async (_what, body, code) => {
  const bucket = await bucketWith(4, 2)
  expect(refusalOf(await change(bucket, body))).toEqual([400, code])
  expect(await copiesOf(bucket)).toEqual([4, 2])
})

const good = '{"default_copies":5}'

test.each([
  ['no body', ''],
  ['a body that is not JSON', 'default_copies=5'],
  ['null', 'null'],
  ['a list', `[${good}]`],
  ['a number', '5'],
  ['trailing content', `${good} x`],
  ['a second value', `${good}${good}`],
  ['a repeated member', '{"default_copies":5,"default_copies":6}'],
  ['more than 4096 bytes', good.padEnd(4097)],
])('%s is refused with 400 and changes nothing', async (_what, body) => {
  const bucket = await bucketWith(4, 2)
  for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
    const reply = await svc.call('PUT', policyOf(bucket), { body, headers })
    expect(refusalOf(reply)).toEqual([400, 'invalid_request'])
    expect(reply.json.error).toMatch(/^The body /)
  }
  expect(await copiesOf(bucket)).toEqual([4, 2])
})

test('a body of exactly 4096 bytes is read with any Content-Type', async () => {
  const bucket = await bucketWith(4, 2)
  const reply = await svc.call('PUT', policyOf(bucket), { body: good.padEnd(4096), headers: { 'content-type': 'text/plain' } })
  expect(answerOf(changeCopyPolicy, reply).default_copies).toBe(5)
})

test('a missing bucket is 404, an invalid name 400', async () => {
  expect(refusalOf(await change('nowhere', { default_copies: 5 }))).toEqual([404, 'bucket_not_found'])
  expect(refusalOf(await change('No_Bucket', { default_copies: 5 }))).toEqual([400, 'invalid_bucket_name'])
})

test('rule 7: a changed target affects later uploads only', async () => {
  const bucket = await bucketWith(1, 1)
  const before = await data.upload(bucket, 'before')
  await change(bucket, { default_copies: 2 })
  const after = await data.upload(bucket, 'after')
  expect((await data.provenance(bucket, before.versionId)).requested_copies).toBe(1)
  expect((await data.provenance(bucket, after.versionId)).requested_copies).toBe(2)
})

test('rule 7: a changed minimum starts a review of the cached bytes; the same minimum does not', async () => {
  const [changed, same] = [await bucketWith(3, 1), await bucketWith(3, 1)]
  await change(same, { minimum_durable_copies: 1, default_copies: 4 })
  await change(changed, { minimum_durable_copies: 2 })
  const reviewed = await until('the review', async () => {
    const { json } = await svc.call('GET', '/api/v1/tasks?type=cache_reconcile_durability&status=completed')
    const buckets: readonly string[] = json.tasks.map((task: { subject?: { bucket?: string } }) => task.subject?.bucket)
    return buckets.includes(changed) ? buckets : undefined
  })
  expect(reviewed).not.toContain(same)
})
