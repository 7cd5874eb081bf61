import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { fromBase32, toBase32 } from './base32.ts'
import { findTotpStep, totpCode, totpStep } from './totp.ts'

/** Appendix B of RFC 6238, of whose eight digits the last six are ours. */
const secret = Buffer.from('12345678901234567890')

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('the code at second %i is that of RFC 6238', (seconds, code) => {
  expect(totpCode(secret, totpStep(seconds * 1000))).toBe(code)
})

const nowMs = 1_234_567_890_000
const present = totpStep(nowMs)
const find = (code: string, lastStep = 0) => findTotpStep(secret, code, { nowMs, lastStep })

test('the codes of one step before and after are accepted, others are not', () => {
  expect([-2, -1, 0, 1, 2].map((offset) => find(totpCode(secret, present + offset)))).toEqual([
    undefined,
    present - 1,
    present,
    present + 1,
    undefined,
  ])
})

test('a used code and all before it are refused', () => {
  expect(find(totpCode(secret, present), present)).toBeUndefined()
  expect(find(totpCode(secret, present - 1), present)).toBeUndefined()
  expect(find(totpCode(secret, present + 1), present)).toBe(present + 1)
})

test.each(['', '12345', '1234567', 'abcdef', '005924 ', '００５９２４', '٠٠٥٩٢٤'])('%j is no code', (code) => {
  expect(find(code)).toBeUndefined()
})

test('Base32 is that of RFC 4648 and keeps every text of bytes', () => {
  expect(toBase32(Buffer.from('foobar'))).toBe('MZXW6YTBOI')
  expect(fromBase32('MZXW6YTB').toString()).toBe('fooba')
  for (let size = 0; size <= 40; size += 1) {
    const bytes = randomBytes(size)
    expect(fromBase32(toBase32(bytes))).toEqual(bytes)
  }
})
