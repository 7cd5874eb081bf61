/** Objects stored with fewer copies are brought up to the present number of copies of their bucket. */
import { expect, test } from 'vitest'
import { changeCopyPolicy } from '../../plugins/admin/api.ts'
import { showRaise, startRaise } from '../../plugins/replication/api.ts'
import { answerOf, refusalOf } from '../fixtures/admin-answers.ts'
import { stageBucket, startStage } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'

const path = `/api/v1/buckets/${stageBucket}/copies/raise`

test('a raise is previewed with its cost, needs the shown prices, and gives the objects their copies', { timeout: 120_000 }, async () => {
  await using stage = await startStage({ copies: 1 })
  const { gateway } = stage
  const objects = [await stage.put(), await stage.put(Buffer.alloc(2000, 'two'))]
  for (const object of objects) await stage.stored(object)
  const preview = async () => answerOf(showRaise, await gateway.call('GET', path))
  expect(await preview()).toMatchObject({
    target_copies: 1,
    contents: 0,
    copies: 0,
    bytes: '0',
    cost: { fee: '0', lock: '0' },
    raise: null,
  })
  const policy = { default_copies: 2 }
  answerOf(changeCopyPolicy, await gateway.call('PUT', `/api/v1/buckets/${stageBucket}/copy-policy`, { json: policy }))
  const shown = await preview()
  expect(shown).toMatchObject({ target_copies: 2, contents: 2, copies: 2, bytes: '3000', raise: null })
  expect(BigInt(shown.cost?.fee ?? 0)).toBeGreaterThan(0n)
  expect(BigInt(shown.cost?.rate.per_epoch ?? 0)).toBeGreaterThan(0n)

  const start = (json: object, fingerprint = shown.cost?.price_fingerprint ?? '') =>
    gateway.call('POST', path, { json, headers: { 'svc-price-list': fingerprint } })
  const body = { client_request_id: ' once ', target_copies: 2 }
  expect(refusalOf(await start({ ...body, target_copies: 1 }))).toEqual([409, 'copy_raise_target_changed'])
  expect(refusalOf(await start(body, 'other prices'))).toEqual([409, 'price_list_changed'])
  for (const bad of [
    {},
    { ...body, client_request_id: ' ' },
    { ...body, target_copies: 9 },
    { ...body, client_request_id: 'x'.repeat(129) },
  ])
    expect((await start(bad)).status).toBe(400)
  expect(refusalOf(await gateway.call('POST', '/api/v1/buckets/absent/copies/raise', { json: body }))).toEqual([404, 'bucket_not_found'])
  const { raise } = answerOf(startRaise, await start(body))
  expect(raise).toMatchObject({ bucket: stageBucket, client_request_id: 'once', target_copies: 2 })
  await until('the raise is completed', async () => ((await preview()).raise?.status === 'completed' ? true : undefined))
  for (const object of objects) expect((await stage.stored(object, 2)).copies).toHaveLength(2)
  const again = answerOf(startRaise, await start(body)).raise
  expect(again).toMatchObject({
    id: raise.id,
    status: 'completed',
    contents: 2,
    copies: 2,
    bytes: 3000,
    percent_raised: 100,
    lacking_copies: 0,
  })
  expect(await preview()).toMatchObject({ contents: 0, raise: { id: raise.id } })
  expect(await stage.settle([])).toEqual([])
})
