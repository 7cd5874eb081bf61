import { expect, test } from 'vitest'
import { testKernel } from '#kernel/testing'
import { builtinPlugins } from '../index.ts'

// Nothing listens there: these requests need no chain.
const complete = { 'server.port': '127.0.0.1:0', 'chain.private_key': '42'.repeat(32), 'chain.rpc_url': 'http://127.0.0.1:9/' }

test.each([
  ['it', 'replacement'],
  ['what it accompanies', 'replication,costs,observability'],
])('while %s is disabled its addresses say so, and buckets are shown without it', async (_what, disabled) => {
  await using svc = await testKernel({ plugins: builtinPlugins, config: { ...complete, 'plugins.disabled': disabled.split(',') } })
  expect((await svc.call('POST', '/api/v1/buckets', { name: 'films', owner_access_key: '__internal_root__' })).status).toBe(201)
  for (const [method, path] of [
    ['GET', '/api/v1/buckets/films/data-sets/1/replacement/providers'],
    ['POST', '/api/v1/buckets/films/data-sets/1/replacement'],
    ['GET', '/api/v1/storage-replacements'],
    ['GET', '/api/v1/storage-replacements/1'],
    ['POST', '/api/v1/storage-replacements/1/retry'],
  ] as const) {
    const body = method === 'POST' ? {} : undefined
    expect(await svc.call(method, path, body), path).toMatchObject({ status: 404, body: { code: 'plugin_disabled' } })
  }
  expect(await svc.call('GET', '/api/v1/buckets/films')).toMatchObject({ status: 200, body: { replacements: [] } })
  expect((await svc.call('GET', '/api/v1/overview')).body).not.toHaveProperty('replacements')
})

test('its overview counts what continues and what needs an operator', async () => {
  await using svc = await testKernel({ plugins: builtinPlugins, config: complete })
  expect((await svc.call('GET', '/api/v1/overview')).body.replacements).toEqual({ active: 0, needs_attention: 0 })
})
