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

test('the oldest verifications are dropped first', () => {
  const verifications = new RecentVerifications(() => 0)
  for (let blob = 0; blob < 10_001; blob++) verifications.keep(`blob ${blob}`, 'stamp')
  expect([verifications.has('blob 0', 'stamp'), verifications.has('blob 1', 'stamp'), verifications.has('blob 10000', 'stamp')]).toEqual([
    false,
    true,
    true,
  ])
})
