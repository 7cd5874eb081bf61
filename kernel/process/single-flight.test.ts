import { expect, test } from 'vitest'
import { singleFlight } from './single-flight.ts'

test('concurrent calls share one run, and a later call starts another', async () => {
  let runs = 0
  const gate = Promise.withResolvers<void>()
  const count = singleFlight(async () => {
    runs += 1
    await gate.promise
    return runs
  })
  const both = Promise.all([count(), count()])
  gate.resolve()
  expect(await both).toEqual([1, 1])
  expect(await count()).toBe(2)
})

test('a failed run fails all its calls and is not kept', async () => {
  const answers = [Promise.reject(new Error('broken')), Promise.resolve('fine')]
  const next = singleFlight(async () => answers.shift())
  const settled = await Promise.allSettled([next(), next()])
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await next()).toBe('fine')
})
