import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defineEndpoint, defineRoutes, serveEndpoint } from '#kernel'
import { cheapPasswordHash, startTestListener, testOperator } from '#kernel/testing'
import { openAdminClient } from './admin-client.ts'

const drop = defineEndpoint({ method: 'DELETE', path: '/api/v1/things', summary: 'Drop', status: 204 })
const group = defineRoutes({ name: 'things', uses: {}, register: (app) => serveEndpoint(app, drop, async () => undefined) })

test('a command signs in as admin.auth.username by HTTP Basic', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-username-'))
  const auth = { enabled: true, username: 'zoe', password_hash: await cheapPasswordHash(), session_secret: 's', session_ttl: 60_000 }
  await using listener = await startTestListener({ auth, routes: [{ group, services: {}, answer: 'serve' }] })
  const config = join(dir, 'config.toml')
  const open = () =>
    openAdminClient({
      out: { note() {} },
      env: { SVC_ADMIN_PASSWORD: testOperator.password },
      flags: { config, adminUrl: listener.url, timeout: 10_000 },
    })
  try {
    writeFileSync(config, '[admin.auth]\nusername = "zoe"\n')
    expect(await (await open()).call(drop)).toBeUndefined()
    writeFileSync(config, '[admin.auth]\nusername = "admin"\n')
    await expect((await open()).call(drop)).rejects.toMatchObject({ status: 401 })
  } finally {
    rmSync(dir, { recursive: true })
  }
})
