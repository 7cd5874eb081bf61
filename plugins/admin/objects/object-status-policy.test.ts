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
  expect(uploadProgress({ sentBytes: 999_999, totalBytes: 1_000_000 })).toEqual({
    scope: 'ingress_store',
    uploaded_bytes: 999_999,
    total_bytes: 1_000_000,
    percent: 99,
    done: false,
  })
  expect(uploadProgress({ sentBytes: 5, totalBytes: 5 })).toMatchObject({ percent: 100, done: true })
})
