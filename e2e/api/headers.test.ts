/** Headers of every response of the Admin listener. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { sharedServe } from '../fixtures/gateways/shared-serve.ts'

let svc: Gateway
beforeAll(async () => {
  svc = await sharedServe()
})

describe.each(['/healthz', '/metrics', '/api/v1/overview', '/api/v1/nothing', '/api/nothing', '/admin/nothing'])('%s', (path) => {
  test.each(['operator', 'anonymous'] as const)('carries the security headers and no-store, for %s', async (as) => {
    const { headers } = await svc.call('GET', path, { as })
    expect(headers).toMatchObject({
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'strict-origin-when-cross-origin',
      'cache-control': 'no-store',
    })
  })
})

test.each(['/api/v1/nothing', '/api/nothing', '/api', '/admin/nothing'])('%s is 404 in JSON', async (path) => {
  const reply = await svc.call('GET', path)
  expect([reply.status, reply.json]).toEqual([404, { error: expect.any(String), code: 'not_found' }])
})
