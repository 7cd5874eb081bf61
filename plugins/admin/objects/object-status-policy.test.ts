import { expect, test } from 'vitest'
import { objectStatus, uploadProgress } from './object-status-policy.ts'

test.each([
  ['cached', true, false, 'uploading'],
  ['uploading', true, false, 'uploading'],
  ['committing', true, false, 'syncing'],
  ['replicating', true, true, 'syncing'],
  ['stored', true, true, 'success'],
  ['stored', false, true, 'success'],
  ['stored', false, false, 'unavailable'],
  ['cached', false, false, 'unavailable'],
  ['failed', true, false, 'warning'],
  ['failed', false, false, 'warning'],
] as const)('%s with cache %s and chain %s is shown as %s', (state, isCached, isOnChain, status) => {
  expect(objectStatus({ state, isCached, isOnChain })).toBe(status)
})

test('progress never says 100 percent before every byte is sent', () => {
  expect(uploadProgress({ attempt: 1, sentBytes: 999_999, totalBytes: 1_000_000, updatedAtMs: 0 })).toEqual({
    scope: 'ingress_store',
    attempt: 1,
    uploaded_bytes: 999_999,
    total_bytes: 1_000_000,
    percent: 99,
    done: false,
    updated_at: '1970-01-01T00:00:00Z',
  })
  expect(uploadProgress({ attempt: 1, sentBytes: 5, totalBytes: 5, updatedAtMs: 0 })).toMatchObject({ percent: 100, done: true })
})
