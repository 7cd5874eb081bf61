import { expect, test } from 'vitest'
import { describeProblem, type LoadedConfig } from '../config/load.ts'
import { testKernel } from '../testing/test-kernel.ts'
import { findAdminExposure } from './admin-exposure.ts'
import { adminAuthSection, adminSection } from './admin-settings.ts'

const find = (enabled: boolean, addr: string, sources: LoadedConfig['sources'] = new Map()) =>
  findAdminExposure({
    sources,
    values: new Map<string, Readonly<Record<string, unknown>>>([
      [adminAuthSection.path, { enabled }],
      [adminSection.path, { addr }],
    ]),
  })
const problemsOf = (enabled: boolean, addr: string) => find(enabled, addr).map(({ field, blocks }) => `${field} ${blocks}`)

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

test.each([
  ['admin.addr', /^SVC_ADMIN_ADDR must be a loopback address/],
  ['admin.auth.enabled', /^with SVC_ADMIN_AUTH_ENABLED, admin\.addr must be a loopback address/],
])('where %s is a variable, the problem names it', (field, description) => {
  const [problem] = find(false, '0.0.0.0:9090', new Map([[field, 'env']]))
  expect(problem && describeProblem(problem)).toMatch(description)
})

test('a service without authentication does not start on a non-loopback address', async () => {
  const config = { 'admin.auth.enabled': false, 'admin.addr': '0.0.0.0:0' }
  await expect(testKernel({ plugins: [], config })).rejects.toThrow(/admin\.addr must be a loopback address .* got 0\.0\.0\.0:0/)
  await using svc = await testKernel({ plugins: [], config: { ...config, 'admin.addr': '127.0.0.1:0' } })
  expect((await fetch(`${svc.url}/healthz`)).status).toBe(200)
})
