import { expect, test } from 'vitest'
import { adminAuthSection, adminSection } from '../settings.ts'
import { testKernel } from '../testing/test-kernel.ts'
import { findAdminExposure } from './admin-exposure.ts'

const problemsOf = (enabled: boolean, addr: string) =>
  findAdminExposure({
    values: new Map<string, Readonly<Record<string, unknown>>>([
      [adminAuthSection.path, { enabled }],
      [adminSection.path, { addr }],
    ]),
  }).map(({ field, blocks }) => `${field} ${blocks}`)

test.each([
  ['127.0.0.1:9090', []],
  ['127.9.9.9:9090', []],
  ['localhost:9090', []],
  ['[::1]:9090', []],
  [':9090', ['admin.addr start']],
  ['0.0.0.0:9090', ['admin.addr start']],
  ['[::]:9090', ['admin.addr start']],
  ['192.168.0.5:9090', ['admin.addr start']],
  ['svc.internal:9090', ['admin.addr start']],
])('without authentication listening on %s has the problems %j', (addr, problems) => {
  expect(problemsOf(false, addr)).toEqual(problems)
  expect(problemsOf(true, addr)).toEqual([])
})

test('a service without authentication does not start on a non-loopback address', async () => {
  const config = { 'admin.auth.enabled': false, 'admin.addr': '0.0.0.0:0' }
  await expect(testKernel({ plugins: [], config })).rejects.toThrow(/admin\.addr must be a loopback address .* got 0\.0\.0\.0:0/)
  await using svc = await testKernel({ plugins: [], config: { ...config, 'admin.addr': '127.0.0.1:0' } })
  expect((await fetch(`${svc.url}/healthz`)).status).toBe(200)
})
