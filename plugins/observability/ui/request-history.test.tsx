import { afterEach, expect, test, vi } from 'vitest'
import { signOut } from '../../../ui/src/data/session.ts'
import { recordRequests, requestHistory } from './request-history.ts'

afterEach(() => vi.unstubAllGlobals())

test('a sign-out removes the measurements of the operator', async () => {
  vi.stubGlobal('document', { removeEventListener() {} })
  const page = 'svc_backend_object_operations_total{operation="get",status="success"} 7\n'
  vi.stubGlobal('fetch', async (path: string) => new Response(path === '/metrics' ? page : '{}'))
  await recordRequests(new AbortController().signal)
  expect(requestHistory.value).toHaveLength(1)
  await signOut()
  expect(requestHistory.value).toEqual([])
})
