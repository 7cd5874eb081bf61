import { expect, test } from 'vitest'
import { within } from './within.ts'

const never = new Promise<never>(() => {})

test('work that ends in time returns its result or its error', async () => {
  expect(await within(60_000, Promise.resolve(1), () => 2)).toBe(1)
  await expect(within(60_000, Promise.reject(new Error('broken')), () => 2)).rejects.toThrow('broken')
})

test('work that never ends returns the result or the error of `late`', async () => {
  expect(await within(5, never, () => 2)).toBe(2)
  const late = within(5, never, () => {
    throw new Error('late')
  })
  await expect(late).rejects.toThrow('late')
})

test('an error after the limit is ignored', async () => {
  const work = Promise.withResolvers<never>()
  expect(await within(5, work.promise, () => 'late')).toBe('late')
  work.reject(new Error('later'))
  // An unhandled rejection would fail the test run.
  await new Promise((done) => setImmediate(done))
})
