import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { adminAuth, saveConfigFile } from '#kernel/system'
import { promised } from '#kernel/testing'
import { readSettings } from '../settings/settings-api.ts'
import { type TestAdmin, testAdmin } from '../testing/test-admin.ts'
import { requestRestart } from './restart-api.ts'

const supervised = { 'admin.supervised': true }
const restart = (admin: TestAdmin) => admin.call('POST', '/api/v1/restart')
/** Whether the kernel has asked for a restart by now. */
const isRequested = ({ kernel }: TestAdmin) =>
  Promise.race([kernel.restartRequested.then(() => true), new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))])

test('without a supervisor a restart is refused, and the settings say that none is offered', async () => {
  await using admin = await testAdmin()
  expect(promised(readSettings, await admin.call('GET', '/api/v1/settings')).restart.supervised).toBe(false)
  expect(await restart(admin)).toMatchObject({ status: 409, body: { code: 'restart_unsupervised' } })
  expect(await isRequested(admin)).toBe(false)
})

test('under a supervisor an admin restarts the service; the change is in the audit trail, and a repeat is answered alike', async () => {
  await using admin = await testAdmin({ config: supervised })
  const lines: unknown[] = []
  admin.kernel.get(adminAuth).trail.keep((line) => void lines.push(line))
  const settings = promised(readSettings, await admin.call('GET', '/api/v1/settings'))
  const answer = promised(requestRestart, await restart(admin))
  expect([settings.restart.supervised, answer.started_at, answer.stop_seconds]).toEqual([true, settings.restart.started_at, 10])
  expect(await isRequested(admin)).toBe(true)
  expect(lines).toContainEqual(
    expect.objectContaining({ what: 'change', fields: expect.objectContaining({ by: 'admin', route: '/api/v1/restart', status: 202 }) }),
  )
  expect((await restart(admin)).status).toBe(202)
})

test('saved settings with which svc would not start in full mode are refused by name, also when the file is no longer TOML', async () => {
  await using admin = await testAdmin({ config: supervised })
  const path = join(admin.dir, 'config.toml')
  const good = readFileSync(path, 'utf8')
  saveConfigFile(path, { 'logging.level': 'loud' })
  expect(await restart(admin)).toMatchObject({
    status: 409,
    body: { code: 'restart_would_fail', error: expect.stringContaining('logging.level'), fields: [{ field: 'logging.level' }] },
  })
  writeFileSync(path, `${good}\n[admin`)
  expect(await restart(admin)).toMatchObject({ status: 500, body: { code: 'config_malformed' } })
  expect(await isRequested(admin)).toBe(false)
})

test('a page of another origin cannot restart the service, nor a script without credentials', async () => {
  await using admin = await testAdmin({ config: supervised })
  const send = (headers: Record<string, string>) => admin.fetch('/api/v1/restart', { method: 'POST', headers })
  expect((await send({ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect((await send({ cookie: 'none=1' })).status).toBe(401)
  expect(await isRequested(admin)).toBe(false)
})
