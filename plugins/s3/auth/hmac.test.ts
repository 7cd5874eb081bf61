import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { hmacSha256 } from './hmac.ts'

test.each([1, 32, 64])('signs as createHmac with a key of %i bytes, texts of every length and characters beyond ASCII', (keyBytes) => {
  const key = createSecretKey(randomBytes(keyBytes))
  for (const text of ['', 'a', 'größe €', '🪣', ...Array.from({ length: 400 }, (_, length) => 'é'.repeat(length))]) {
    expect(hmacSha256(key, text)).toBe(createHmac('sha256', key).update(text).digest('hex'))
  }
})

test('signs with two keys in turns', () => {
  const keys = [createSecretKey(randomBytes(32)), createSecretKey(randomBytes(32))]
  const signed = [...keys, ...keys].map((key) => hmacSha256(key, 'text'))
  expect(signed.slice(2)).toEqual(signed.slice(0, 2))
  expect(signed[0]).not.toBe(signed[1])
})
