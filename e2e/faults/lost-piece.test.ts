/** A provider loses the bytes of a piece. */
import { expect, test } from 'vitest'
import { checkAllCopies } from '../fixtures/check-copies.ts'
import { createAdvancingClock } from '../fixtures/gateways/serve-here.ts'
import { stageBucket, startStage } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'

const minuteMs = 60_000

test('a piece that its provider lost is denied, lost after a day, and stored on the same data set again with one payment', {
  timeout: 180_000,
}, async () => {
  const clock = createAdvancingClock()
  await using stage = await startStage({ providers: 2, copies: 2, clock })
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
  await checkAllCopies(gateway)
  clock.advance(11 * minuteMs)
  await checkAllCopies(gateway)
  expect((await situation()).attention_code).toBe('copies_denied')
  // I-53: a doubt pays nothing.
  clock.advance(23 * 60 * minuteMs)
  await checkAllCopies(gateway)
  expect([payments(), first.findPieceFile(pieceCid)]).toEqual([paidOnce, undefined])

  clock.advance(60 * minuteMs)
  await checkAllCopies(gateway)
  await stage.stored(object)
  // The new piece counts when a check has found it.
  expect((await situation()).state).toBe('replicating')
  await checkAllCopies(gateway)
  expect((await situation()).state).toBe('stored')
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
