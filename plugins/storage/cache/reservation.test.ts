import { describe, expect, test } from 'vitest'
import { Capacity } from './reservation.ts'

/** A capacity of 100 bytes whose trigger looks for evictable contents until `found` is resolved. */
function openCapacity() {
  const found = Promise.withResolvers<boolean>()
  const asked: number[] = []
  const requestEviction = (bytes: number) => {
    asked.push(bytes)
    return found.promise
  }
  return { found, asked, capacity: new Capacity(100, 0, { requestEviction, onGrowth: () => {} }) }
}

describe('I-23: concurrent bodies', () => {
  test('get no more than the capacity, and the refused one keeps nothing', async () => {
    const { capacity, found, asked } = openCapacity()
    const both = Promise.allSettled([capacity.reserve(60), capacity.reserve(60)])
    found.resolve(true)
    expect((await both).map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect([capacity.reservedBytes, asked]).toEqual([60, [60]])
  })

  test('that grow take free bytes at once, and wait only without space', async () => {
    const { capacity, found } = openCapacity()
    using first = await capacity.reserve(10)
    using second = await capacity.reserve(10)
    expect([first.cover(60), capacity.reservedBytes]).toEqual([undefined, 70])
    const refused = second.cover(50)
    expect(refused).toBeInstanceOf(Promise)
    expect([first.cover(90), capacity.freeBytes]).toEqual([undefined, 0])
    found.resolve(false)
    await expect(refused).rejects.toMatchObject({ code: 'cache_full' })
    expect(capacity.reservedBytes).toBe(100)
  })
})
