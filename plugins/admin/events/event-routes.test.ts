import { expect, test } from 'vitest'
import { testAdmin } from '../testing/test-admin.ts'

test('who watches is told at once of what happens, and the stream ends with the service', async () => {
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

test('the stream needs an operator', async () => {
  await using admin = await testAdmin()
  expect((await fetch(`${admin.url}/api/v1/events`)).status).toBe(401)
})
