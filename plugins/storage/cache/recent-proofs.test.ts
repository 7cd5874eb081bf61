import { expect, test } from 'vitest'
import { proofMs, RecentProofs } from './recent-proofs.ts'

test('a proof holds for the same blob, the same file and a limited time', () => {
  let nowMs = 0
  const proofs = new RecentProofs(() => nowMs)
  proofs.keep('a', 'inode 1, changed at 5')
  expect(proofs.has('a', 'inode 1, changed at 5')).toBe(true)
  expect(proofs.has('a', 'inode 1, changed at 6')).toBe(false)
  expect(proofs.has('b', 'inode 1, changed at 5')).toBe(false)
  nowMs = proofMs
  expect(proofs.has('a', 'inode 1, changed at 5')).toBe(false)
})

test('the oldest proofs leave first', () => {
  const proofs = new RecentProofs(() => 0)
  for (let blob = 0; blob < 10_001; blob++) proofs.keep(`blob ${blob}`, 'stamp')
  expect([proofs.has('blob 0', 'stamp'), proofs.has('blob 1', 'stamp'), proofs.has('blob 10000', 'stamp')]).toEqual([false, true, true])
})
