import { expect, test } from 'vitest'
import { testKernel } from '#kernel/testing'
import { builtinPlugins } from '../../index.ts'

test('checks are listed and run page by page, and unknown names and wrong bodies are refused', async () => {
  await using svc = await testKernel({
    plugins: builtinPlugins,
    config: { 'chain.private_key': '42'.repeat(32), 'chain.rpc_url': 'http://127.0.0.1:9', 'server.port': '127.0.0.1:0' },
  })
  const listed = await svc.call('GET', '/api/v1/doctor/checks')
  expect(listed.status).toBe(200)
  expect(listed.body).toContainEqual({
    name: 'replication.chain-pieces',
    title: expect.any(String),
    proves: ['I-27'],
    cost: 'whole',
    needs: 'network',
  })
  const run = (name: string, body?: object) => svc.call('POST', `/api/v1/doctor/checks/${name}/run`, body)
  const first = await run('storage.objects')
  expect(first).toMatchObject({ status: 200, body: { findings: [], compared: 1, next: '1' } })
  expect(await run('storage.objects', { after: first.body.next })).toMatchObject({ body: { next: '2' } })
  expect(await run('storage.nothing')).toMatchObject({ status: 404, body: { code: 'doctor_check_not_found' } })
  expect(await run('storage.objects', { sample: 201 })).toMatchObject({ status: 400 })
  expect(await run('wallet.chain-clock')).toMatchObject({ status: 503, body: { code: 'doctor_check_failed' } })
  const fix = (name: string, target: string) => svc.call('POST', `/api/v1/doctor/fixes/${name}`, { target })
  expect(await fix('storage.nothing', '1')).toMatchObject({ status: 404, body: { code: 'doctor_fix_not_found' } })
  for (const target of ['../../config.toml', '1/00/../../x', '0/00/00']) {
    expect(await fix('storage.remove-stray', target)).toMatchObject({ status: 200, body: { changed: false } })
  }
})
