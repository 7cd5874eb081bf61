import { afterEach, expect, test, vi } from 'vitest'
import { observeQuery } from '../../../../ui/src/data/cache.ts'
import type { Confirmation } from './reason-policy.ts'
import { releaseEntries } from './release-entries.ts'

afterEach(() => vi.unstubAllGlobals())

const entry = (copyId: number): Confirmation => ({
  copy_id: copyId,
  content_id: copyId,
  bucket: 'photos',
  copy_index: 0,
  data_set_row_id: 1,
  provider_id: '2',
  attempt_id: 'a1',
  attempted_at: '2026-01-01T00:00:00Z',
  attention_at: '2026-01-01T00:10:00Z',
  reason_code: 'submission_unknown',
})

test('the list is read again when a copy cannot be released, because those before it are', async () => {
  const asked: string[] = []
  vi.stubGlobal('fetch', async (path: string, { method }: { method: string }) => {
    asked.push(`${method} ${path.replace('/api/v1/storage-confirmations', '')}`)
    const status = path.includes('/2/') ? 503 : 200
    return new Response(JSON.stringify(status === 200 ? [] : { error: 'busy' }), { status })
  })
  const stop = observeQuery('GET /storage-confirmations', {}, () => {})
  await expect(releaseEntries([entry(1), entry(2), entry(3)])).rejects.toThrow('busy')
  await expect.poll(() => asked).toEqual(['GET ', 'POST /1/release', 'POST /2/release', 'GET '])
  stop()
})
