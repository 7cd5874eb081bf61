import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Reader } from '#kernel'
import { databaseEpoch } from '../../catalog/cached/cache-bytes-store.ts'
import { openDatabaseBlob } from './database-blobs.ts'
import { HotBytes } from './hot-bytes.ts'

test('bytes kept in memory occupy no more than their length, also when a driver returns a part of a larger buffer', async () => {
  const larger = Buffer.from('before the bytes after')
  const bytes = larger.subarray(11, 16)
  const read = { get: async () => ({ bytes }) } as unknown as Reader
  const hot = new HotBytes(1000)
  const blob = { blobId: 'b', epoch: databaseEpoch, length: bytes.length, sha256: hash('sha256', bytes) }
  expect(await openDatabaseBlob({ read, hot }, blob)).toMatchObject({ is: 'open' })
  const kept = hot.get('b')
  expect(Buffer.from(kept ?? []).toString()).toBe('bytes')
  expect(kept?.buffer.byteLength).toBe(bytes.length)
})
