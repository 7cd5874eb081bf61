import type { Answer } from '@svc/ui-kit'
import { afterEach, expect, test, vi } from 'vitest'
import { signOut } from '../../../../ui/src/data/session.ts'
import { overviewHistory, recordOverview } from './overview-history.ts'

afterEach(() => vi.unstubAllGlobals())

const overview = {
  tasks: { by_status: { running: 1, pending: 2 } },
  cache: { used_bytes: 3 },
  objects: { total: 4, by_state: { stored: 4 }, total_size_bytes: 5 },
} as Answer<'GET /overview'>

test('a sign-out removes the measurements of the operator', async () => {
  vi.stubGlobal('document', { removeEventListener() {} })
  vi.stubGlobal('fetch', async () => new Response('{}'))
  recordOverview(overview, 1000)
  expect(overviewHistory.value).toHaveLength(1)
  await signOut()
  expect(overviewHistory.value).toEqual([])
})
