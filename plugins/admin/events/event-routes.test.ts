import { expect, test } from 'vitest'
import { testOperator } from '#kernel/testing'
import { type TestAdmin, testAdmin } from '../testing/test-admin.ts'

test('events arrive immediately, and the stream ends with the service', async () => {
  const admin = await testAdmin()
  const response = await admin.fetch('/api/v1/events')
  expect(response.status).toBe(200)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  expect(await reader?.read()).toEqual({ done: false, value: ': connected\n\n' })
  await admin.call('POST', '/api/v1/buckets', { name: 'photos', owner_access_key: '__internal_root__' })
  const { value = '' } = (await reader?.read()) ?? {}
  expect(value).toMatch(/^event: bucket_updated\nid: \d+\ndata: \{"seq":\d+,"topic":"bucket_updated","bucket_name":"photos"\}\n\n$/)
  const stopped = admin.stop()
  expect(await reader?.read()).toEqual({ done: true, value: undefined })
  await stopped
})

test('the stream requires an operator', async () => {
  await using admin = await testAdmin()
  expect((await fetch(`${admin.url}/api/v1/events`)).status).toBe(401)
})

/** A browser that signed in and watches. */
async function watchInBrowser(admin: TestAdmin) {
  const login = await fetch(`${admin.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(testOperator),
  })
  const { csrf_token } = (await login.json()) as { readonly csrf_token: string }
  const headers = { cookie: (login.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '', 'x-svc-csrf': csrf_token }
  const response = await admin.fetch('/api/v1/events', { headers })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  expect(await reader?.read()).toEqual({ done: false, value: ': connected\n\n' })
  return { reader, post: (path: string) => admin.fetch(path, { method: 'POST', headers }) }
}

test('the stream of a browser ends with its session, and others continue', async () => {
  await using admin = await testAdmin()
  const [leaving, staying] = [await watchInBrowser(admin), await watchInBrowser(admin)]
  expect((await leaving.post('/api/v1/auth/logout')).status).toBe(204)
  expect(await leaving.reader?.read()).toEqual({ done: true, value: undefined })
  await admin.call('POST', '/api/v1/buckets', { name: 'photos', owner_access_key: '__internal_root__' })
  expect((await staying.reader?.read())?.value).toContain('"bucket_name":"photos"')
})

test('the stream of a browser ends when its session expires', async () => {
  await using admin = await testAdmin({ config: { 'admin.auth.session_ttl': '1s' } })
  const { reader } = await watchInBrowser(admin)
  expect(await reader?.read()).toEqual({ done: true, value: undefined })
})
