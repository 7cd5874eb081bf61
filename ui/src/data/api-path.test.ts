import { expect, test } from 'vitest'
import { readApiError } from './api-error.ts'
import { apiPath } from './api-path.ts'

test('parameters are escaped, and absent members of the query are left out', () => {
  const input = { params: { name: 'a/../b?' }, query: { prefix: 'ü &', cursor: undefined, limit: 5 } }
  expect(apiPath('GET /buckets/:name/objects', input)).toBe('/api/v1/buckets/a%2F..%2Fb%3F/objects?prefix=%C3%BC+%26&limit=5')
  expect(apiPath('GET /healthz')).toBe('/healthz')
})

test('an error keeps what the service says, and the answer of a proxy becomes a sentence', () => {
  const refusal = readApiError(429, '{"error":"Wait.","code":"login_rate_limited","fields":[{"field":"a","message":"b"}]}', '7')
  expect(refusal).toMatchObject({
    message: 'Wait.',
    code: 'login_rate_limited',
    status: 429,
    retryAfterSeconds: 7,
    fields: [{ field: 'a', message: 'b' }],
  })
  expect(readApiError(502, '<html>', null)).toMatchObject({ message: 'The service answered with status 502.', code: undefined, fields: [] })
})
