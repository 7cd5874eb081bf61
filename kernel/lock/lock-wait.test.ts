import { expect, test } from 'vitest'
import { type LockWait, lockOrWait } from './lock-wait.ts'

/** A lock that is held for the first `held` tries. */
function heldLock(held: number) {
  let tries = 0
  const tryLock = () => {
    tries++
    if (tries <= held) throw new Error(`held at try ${tries}`)
    return 'locked'
  }
  return {
    lock: (wait?: LockWait, isHeld = (_error: unknown) => true) => lockOrWait(tryLock, isHeld, wait),
    tries: () => tries,
  }
}

test('without a wait a held lock is refused at the first try', async () => {
  const held = heldLock(1)
  await expect(held.lock()).rejects.toThrow('held at try 1')
  expect(held.tries()).toBe(1)
  expect(await held.lock()).toBe('locked')
})

test('a wait ends when the lock becomes free, and reports its reason once', async () => {
  const reasons: string[] = []
  expect(await heldLock(2).lock({ ms: 60_000, onWait: (reason) => reasons.push(reason) })).toBe('locked')
  expect(reasons).toEqual(['held at try 1'])
})

test('a wait that has passed ends with the error of the last try', async () => {
  const held = heldLock(Number.POSITIVE_INFINITY)
  const error = await held.lock({ ms: 1 }).catch((error: unknown) => error)
  expect(error).toEqual(new Error(`held at try ${held.tries()}`))
})

test('an error other than a held lock is not waited for', async () => {
  const held = heldLock(1)
  await expect(held.lock({ ms: 60_000 }, () => false)).rejects.toThrow('held at try 1')
  expect(held.tries()).toBe(1)
})

test('a signal that aborts ends the wait with its reason', async () => {
  const stop = new AbortController()
  const waiting = heldLock(Number.POSITIVE_INFINITY).lock({
    ms: 60_000,
    signal: stop.signal,
    onWait: () => stop.abort(new Error('stopped')),
  })
  await expect(waiting).rejects.toThrow('stopped')
})
