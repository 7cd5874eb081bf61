import { expect, test } from 'vitest'
import { testKernel } from '#kernel/testing'
import { builtinPlugins } from '../../index.ts'

/** Every fix, with a target that needs no repair. */
const fixes = {
  'kernel.task-counts': 'cache_evict/failed/0',
  'storage.bucket-counts': '999',
  'storage.current-count': '999',
  'storage.recount': '999',
  'storage.forget-file': '999/0f',
  'storage.recheck-file': '999/0f',
  'storage.restore-file': '0f',
  'storage.drop-part-file': '0f',
  'storage.remove-stray': `1/00/${'0'.repeat(32)}`,
  'replication.data-set-totals': '999',
  'replication.resume-content': '999',
  'replication.resume-data-set': '999',
}

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
  for (const name of Object.keys(fixes)) {
    for (const target of ['../../config.toml', '1/00/../../x', 'x', '1\0', '12 or 1=1']) {
      expect(await fix(name, target), `${name} ${target}`).toMatchObject({ status: 400, body: { code: 'doctor_fix_target_invalid' } })
    }
  }
  for (const [name, target] of Object.entries(fixes)) {
    expect(await fix(name, target), name).toMatchObject({ status: 200, body: { changed: false } })
  }
})
