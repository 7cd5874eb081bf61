import { expect, test } from 'vitest'
import { RecentVerifications, verificationMs } from './recent-verifications.ts'

test('a verification is valid for the same blob, the same file state and a limited time', () => {
  let nowMs = 0
  const verifications = new RecentVerifications(() => nowMs)
  verifications.keep('a', 'inode 1, changed at 5')
  expect(verifications.has('a', 'inode 1, changed at 5')).toBe(true)
  expect(verifications.has('a', 'inode 1, changed at 6')).toBe(false)
  expect(verifications.has('b', 'inode 1, changed at 5')).toBe(false)
  nowMs = verificationMs
  expect(verifications.has('a', 'inode 1, changed at 5')).toBe(false)
})

test('verified blocks of a file count for as long as its first ones, and all of them when the whole file was verified', () => {
  let nowMs = 0
  const verifications = new RecentVerifications(() => nowMs)
  const blocks = (first: number, last: number) => ({ first, last, count: 20 })
  verifications.keep('a', 'stamp', blocks(7, 9))
  const has = (first: number, last: number, stamp = 'stamp') => verifications.has('a', stamp, blocks(first, last))
  expect([has(7, 9), has(8, 8), has(6, 7), has(9, 10), has(7, 9, 'other')]).toEqual([true, true, false, false, false])
  expect(verifications.has('a', 'stamp')).toBe(false)
  nowMs = verificationMs - 1
  verifications.keep('a', 'stamp', blocks(10, 19))
  expect([has(7, 19), has(0, 19)]).toEqual([true, false])
  nowMs = verificationMs
  expect(has(10, 19)).toBe(false)
  verifications.keep('a', 'stamp', blocks(0, 0))
  expect([has(0, 0), has(7, 9)]).toEqual([true, false])
  verifications.keep('a', 'stamp')
  expect([has(0, 19), verifications.has('a', 'stamp')]).toEqual([true, true])
  verifications.keep('a', 'stamp', blocks(3, 3))
  expect(verifications.has('a', 'stamp')).toBe(true)
})

test('the blocks of the files that were read first are forgotten when there are too many', () => {
  const verifications = new RecentVerifications(() => 0)
  // A bitmap of 512 KiB each.
  const blocks = { first: 0, last: 0, count: 4 * 1024 * 1024 }
  for (const blob of ['a', 'b', 'c']) verifications.keep(blob, 'stamp', blocks)
  expect(['a', 'b', 'c'].map((blob) => verifications.has(blob, 'stamp', blocks))).toEqual([false, true, true])
})

test('the oldest verifications are dropped first', () => {
  const verifications = new RecentVerifications(() => 0)
  for (let blob = 0; blob < 10_001; blob++) verifications.keep(`blob ${blob}`, 'stamp')
  expect([verifications.has('blob 0', 'stamp'), verifications.has('blob 1', 'stamp'), verifications.has('blob 10000', 'stamp')]).toEqual([
    false,
    true,
    true,
  ])
})
