import { expect, test } from 'vitest'
import type { Fault } from '../../devnet/faults.ts'
import { type StoredObject, startStage } from '../fixtures/gateways/stage.ts'

/** Each repetition opens a quote that never closes: a parser that restarts at each of them takes quadratic time. */
const unclosedQuotes = 'vm error=['.repeat(26_000)

/** The drip comes last: it opens the circuit breaker, which stops requests to the provider for a while. */
const attacks: readonly Fault[] = [
  { kind: 'answer', status: 500, text: unclosedQuotes, routes: ['piece_post'] },
  { kind: 'switch_protocols', routes: ['piece_post'] },
  { kind: 'drip', routes: ['piece_post'] },
]

test.concurrent('unclosed quotes, status 101 and a dripping answer from the ingress provider do not block the other one', {
  timeout: 240_000,
}, async () => {
  await using stage = await startStage({ providers: 2, copies: 2 })
  const objects: StoredObject[] = [await stage.put()]
  await stage.stored(objects[0] as StoredObject)
  const [hostile] = await stage.providers()
  if (!hostile) throw new Error('the bucket has no provider')
  for (const fault of attacks) {
    hostile.faults.add(fault)
    const more = await Promise.all(Array.from({ length: 10 }, () => stage.put()))
    // The other provider gets the bytes, then the hostile one pulls them.
    for (const object of more) await stage.stored(object)
    expect(hostile.faults.list()[0]?.uses).toBeGreaterThan(0)
    hostile.faults.clear()
    objects.push(...more)
  }
  expect(await stage.settle(objects)).toEqual([])
})

test.concurrent('a paid request that is answered with 101 is looked up and executed once', { timeout: 240_000 }, async () => {
  await using stage = await startStage({ providers: 1, copies: 1 })
  const [provider] = stage.network.devnet.providers
  provider?.faults.add({ kind: 'switch_protocols', routes: ['data_set_create', 'pieces_add'], count: 2 })
  const object = await stage.put()
  expect(await stage.settle([object])).toEqual([])
  expect(provider?.faults.list()).toEqual([])
})
