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

const mib = 1024 ** 2
const open = (maxMib: number, isEvictable = true) =>
  new Capacity(maxMib * mib, 0, { requestEviction: async () => isEvictable, onGrowth: () => {} })

describe('an arriving body', () => {
  test('holds as much ahead as it has sent: a slow sender of a large body takes nearly nothing', async () => {
    const capacity = open(1024)
    const heldMib = () => capacity.reservedBytes / mib
    using body = await capacity.reserveArriving({ size: 100 * mib })
    expect(heldMib()).toBeCloseTo(0.25, 5)
    const held: number[] = []
    for (const sentMib of [1, 5, 50, 99, 100]) {
      expect(body.cover(sentMib * mib)).toBeUndefined()
      held.push(heldMib())
    }
    expect(held).toEqual([2, 10, 58, 100, 100])
    body.keep(100 * mib)
    expect([capacity.usedBytes / mib, capacity.reservedBytes]).toEqual([100, 0])
  })

  test('that does not fit now is refused before it is read, and holds nothing', async () => {
    const capacity = open(100, false)
    using _other = await capacity.reserve(60 * mib)
    await expect(capacity.reserveArriving({ size: 41 * mib, user: 'ann' })).rejects.toMatchObject({ code: 'cache_full', status: 507 })
    await expect(capacity.reserveArriving({ size: 101 * mib })).rejects.toThrow('more than the whole cache')
    expect(capacity.reservedBytes).toBe(60 * mib)
    using _fits = await capacity.reserveArriving({ size: 40 * mib, user: 'ann' })
  })

  test('I-23: that finds its room taken is refused, and the other one gets the room', async () => {
    const capacity = open(100)
    using first = await capacity.reserveArriving({ size: 80 * mib })
    const second = await capacity.reserveArriving({ size: 80 * mib })
    await first.cover(50 * mib)
    await second.cover(40 * mib)
    await expect(second.cover(51 * mib)).rejects.toMatchObject({ code: 'cache_busy', status: 503 })
    expect(capacity.freeBytes).toBeGreaterThanOrEqual(0)
    second[Symbol.dispose]()
    await first.cover(80 * mib)
    expect(capacity.reservedBytes).toBe(80 * mib)
  })
})

describe('the bodies of one user', () => {
  test('hold at most half of the room together, so that another user gets room; one alone may take all of it', async () => {
    const capacity = open(100)
    const bodies = await Promise.all(Array.from({ length: 5 }, () => capacity.reserveArriving({ size: 30 * mib, user: 'ann' })))
    const covered = await Promise.allSettled(bodies.map(async (body) => body.cover(20 * mib)))
    expect(covered.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected', 'rejected'])
    expect(covered[2]).toMatchObject({
      reason: { code: 'cache_busy', message: expect.stringContaining('unfinished uploads of this user') },
    })
    await expect(capacity.reserveArriving({ size: 30 * mib, user: 'ann' }).then((body) => body.cover(9 * mib))).rejects.toThrow(
      'of this user',
    )
    using other = await capacity.reserveArriving({ size: 30 * mib, user: 'bob' })
    await other.cover(30 * mib)
    for (const body of bodies) body[Symbol.dispose]()
    using alone = await capacity.reserveArriving({ size: 70 * mib, user: 'ann' })
    await alone.cover(70 * mib)
    expect(capacity.freeBytes).toBe(0)
  })

  test('are forgotten when they end, also twice', async () => {
    const capacity = open(100)
    for (let n = 0; n < 3; n++) {
      const body = await capacity.reserveArriving({ size: 10 * mib, user: 'ann' })
      await body.cover(10 * mib)
      body.keep(0)
      body[Symbol.dispose]()
    }
    using first = await capacity.reserveArriving({ size: 60 * mib, user: 'ann' })
    await first.cover(60 * mib)
    expect(capacity.reservedBytes).toBe(60 * mib)
  })
})
