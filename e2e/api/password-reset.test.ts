/** `svc admin-auth reset-password` beside a running service, and its restart. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testOperator } from '#kernel/testing'
import { svcHome } from '../../cli/testing/run-svc.ts'
import { type BrowserSession, createAdminCalls } from '../fixtures/admin-calls.ts'
import { type ServeProcess, startServe } from '../fixtures/gateways/serve-process.ts'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'

const stack = new AsyncDisposableStack()
let dir: string
let svc: ServeProcess
let sessions: readonly BrowserSession[]
beforeAll(async () => {
  dir = stack.use(temporaryDirectory()).path
  svc = await startServe({ dir })
  stack.defer(() => svc.kill())
  sessions = [await svc.signIn(), await svc.signIn({ remember: true })]
})
afterAll(() => stack.disposeAsync())

const statusOf = async (session: BrowserSession) => (await svc.call('GET', '/api/v1/overview', { as: session })).status

test('sessions survive a plain restart', async () => {
  await svc.stop()
  svc = await startServe({ dir })
  for (const session of sessions) expect(await statusOf(session)).toBe(200)
})

test('a reset takes effect at the restart: every browser session is invalid, and only the new password is accepted', async () => {
  using home = svcHome()
  const reset = await home.run(['admin-auth', 'reset-password', '--config', svc.configPath])
  expect([reset.code, reset.stderr]).toEqual([0, ''])
  const passwordPath = join(dir, 'admin-initial-password')
  expect(statSync(passwordPath).mode & 0o777).toBe(0o600)
  const password = readFileSync(passwordPath, 'utf8').trim()
  expect(`${reset.stdout}${reset.stderr}`).not.toContain(password)

  expect(await statusOf(sessions[0] as BrowserSession)).toBe(200)
  expect((await svc.call('GET', '/api/v1/overview')).status).toBe(200)

  await svc.stop()
  svc = await startServe({ dir })
  for (const session of sessions) {
    expect(await svc.call('GET', '/api/v1/auth/session', { as: session })).toMatchObject({
      status: 401,
      headers: { 'set-cookie': [expect.stringMatching(/^svc_admin_session=; Path=\/; Max-Age=0; /)] },
    })
    expect((await svc.call('POST', '/api/v1/auth/refresh', { as: session })).status).toBe(401)
    expect(await statusOf(session)).toBe(401)
  }
  expect((await svc.call('GET', '/api/v1/overview')).status).toBe(401)
  const renewed = createAdminCalls(svc.adminUrl, { ...testOperator, password })
  expect(await statusOf(await renewed.signIn())).toBe(200)
  expect((await renewed.call('GET', '/api/v1/overview')).status).toBe(200)
  const status = await home.run(['admin', 'status', '--admin-url', svc.adminUrl, '--config', svc.configPath])
  expect([status.code, status.stderr], 'svc finds the new one').toEqual([0, ''])
})
