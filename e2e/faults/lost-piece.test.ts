/** A provider loses the bytes of a piece. */
import { expect, test } from 'vitest'
import { startSamples } from '../../plugins/observability/api.ts'
import { answerOf } from '../fixtures/admin-answers.ts'
import { createAdvancingClock } from '../fixtures/gateways/serve-here.ts'
import { stageBucket, startStage } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'

const minuteMs = 60_000

test('a piece that its provider lost is denied, lost after a day, and stored on the same data set again with one payment', {
  timeout: 180_000,
}, async () => {
  const clock = createAdvancingClock()
  await using stage = await startStage({ providers: 2, copies: 2, clock, settings: { 'chain.observability.interval': '2s' } })
  const { gateway } = stage
  const object = await stage.put()
  const { copies, pieceCid } = await stage.stored(object)
  const [first] = await stage.providers()
  if (!first) throw new Error('the bucket has two slots')
  const lost = copies.find(({ provider_id }) => provider_id === String(first.providerId))
  const situation = async () => (await gateway.call('GET', `/api/v1/buckets/${stageBucket}/objects?prefix=${object.key}`)).json.objects[0]
  const payments = () => first.transactions().filter(({ kind, ok }) => ok === true && kind !== 'remove').length
  const paidOnce = payments()

  first.collectGarbage(pieceCid)
  expect(answerOf(startSamples, await gateway.call('POST', '/api/v1/observability/samples', { json: { share: 1 } })).planned).toBe(2)
  await until('the copy is denied', async () => {
    clock.advance(5 * minuteMs)
    return (await situation()).attention_code === 'copies_denied' || undefined
  })
  // I-53: a doubt pays nothing.
  expect([payments(), first.findPieceFile(pieceCid)]).toEqual([paidOnce, undefined])

  await until('the piece is stored again', async () => {
    clock.advance(180 * minuteMs)
    return (await situation()).state === 'stored' || undefined
  })
  expect(first.findPieceFile(pieceCid)).toBeDefined()
  expect(payments()).toBe(paidOnce + 1)
  const again = (await stage.stored(object)).copies.find(({ provider_id }) => provider_id === String(first.providerId))
  expect(again?.data_set_id).toBe(lost?.data_set_id)
  expect(again?.piece_id).not.toBe(lost?.piece_id)
  await until(
    'the lost piece is removed',
    async () => first.transactions().some(({ kind, ok }) => kind === 'remove' && ok === true) || undefined,
  )
  const problems = await stage.settle([object])
  expect(problems).toEqual([expect.stringMatching(new RegExp(`^${pieceCid} on data set \\d+ was added 2 times$`))])
})
