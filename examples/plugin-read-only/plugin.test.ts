import { fileURLToPath } from 'node:url'
import { testKernel } from 'svc/kernel/testing'
import { expect, test } from 'vitest'

const packages = ['../plugin-hello', '.'].map((folder) => fileURLToPath(new URL(folder, import.meta.url)))
const here = { 'plugins.packages': packages }

test('a contributed guard refuses changes on operator routes, after authentication', async () => {
  await using svc = await testKernel({ plugins: [], config: here })
  expect((await svc.call('GET', '/api/v1/hello')).status).toBe(200)
  expect(await svc.call('POST', '/api/v1/hello', { name: 'Ada' })).toMatchObject({ status: 403, body: { code: 'read_only' } })
  expect((await fetch(`${svc.url}/api/v1/hello`, { method: 'POST' })).status).toBe(401)
})

test('the guard leaves routes with another access alone', async () => {
  await using svc = await testKernel({ plugins: [], config: here })
  const body = JSON.stringify({ username: 'nobody', password: 'wrong' })
  const headers = { 'content-type': 'application/json' }
  expect((await fetch(`${svc.url}/api/v1/auth/login`, { method: 'POST', body, headers })).status).toBe(401)
  expect((await fetch(`${svc.url}/healthz`)).status).toBe(200)
})

test('the guard knows the pattern of the route and its own settings', async () => {
  await using svc = await testKernel({ plugins: [], config: { ...here, 'read_only.except': ['POST /api/v1/hello'] } })
  expect((await svc.call('POST', '/api/v1/hello', { name: 'Ada' })).status).toBe(202)
})
