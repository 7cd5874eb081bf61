import { expect, test } from 'vitest'
import type { Bucket, ObjectVersion } from '#plugins/storage'
import { addExpiry } from './expiry-header.ts'

const headerOf = async (atMs: number) => {
  const headers: Record<string, string> = {}
  const lifecycleRules = { hasRules: () => true, expiryOf: async () => ({ atMs, ruleId: 'a b' }) }
  await addExpiry(headers, { lifecycleRules } as never, { bucket: {} as Bucket, version: {} as ObjectVersion })
  return headers['x-amz-expiration']
}

test('an expiry is told unless HTTP has no date for it, as after the most days that a rule may have', async () => {
  expect(await headerOf(0)).toBe('expiry-date="Thu, 01 Jan 1970 00:00:00 GMT", rule-id="a%20b"')
  expect(await headerOf(Date.UTC(9999, 11, 31))).toContain('31 Dec 9999')
  expect(await headerOf(2_147_483_647 * 86_400_000)).toBeUndefined()
})
