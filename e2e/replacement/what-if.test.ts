/** What would be at risk if a provider were gone. */
import { expect, test } from 'vitest'
import { showWhatIf } from '../../plugins/replacement/api.ts'
import { answerOf, refusalOf } from '../fixtures/admin-answers.ts'
import { startStage } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'

test('a provider is named with the objects that would be below their target or lost without it, and what healing takes', {
  timeout: 120_000,
}, async () => {
  await using stage = await startStage({ copies: 2 })
  const { gateway } = stage
  const call = (id: string) => gateway.call('GET', `/api/v1/storage-replacements/what-if?provider_id=${id}`)
  const objects = [await stage.put(Buffer.alloc(300_000, 'a')), await stage.put(Buffer.alloc(2000, 'b'))]
  for (const object of objects) await stage.stored(object)
  const [first] = await stage.providers()
  const id = String(first?.providerId)
  const answer = answerOf(showWhatIf, await call(id))
  const both = { contents: 2, versions: 2, bytes: '302000' }
  const none = { contents: 0, versions: 0, bytes: '0' }
  const counts = { stored: both, below_target: both, below_minimum: none, no_other_copy: none, lost: none }
  expect(answer).toMatchObject({ provider_id: id, ...counts, heal: { data_sets: 1, pieces: 2, bytes: '302000' }, other_buckets: 0 })
  expect(answer.buckets).toMatchObject([{ bucket: 'stage', copy_index: 0, ...counts }])
  const { cost, ...heal } = answer.heal
  expect(BigInt(cost?.fee ?? 0)).toBeGreaterThan(0n)
  expect(BigInt(cost?.lock ?? 0)).toBeGreaterThan(0n)
  expect(heal.seconds === null).toBe(heal.measured_providers === 0)

  const [, second] = await stage.providers()
  const without = answerOf(showWhatIf, await call(String(second?.providerId)))
  expect(without.stored).toEqual(both)
  expect(refusalOf(await call('999'))).toEqual([404, 'what_if_provider_unknown'])
  expect(refusalOf(await gateway.call('GET', '/api/v1/storage-replacements/what-if'))).toEqual([400, 'invalid_request'])
  const empty = await until('a provider without data sets', async () => {
    for (const { providerId } of stage.network.devnet.providers) {
      const { status, json } = await call(String(providerId))
      if (status === 200 && json.stored.contents === 0) return json
    }
    return undefined
  })
  expect(empty).toMatchObject({ heal: { data_sets: 0, pieces: 0, bytes: '0', seconds: 0 }, buckets: [] })
  expect(await stage.settle(objects)).toEqual([])
})
