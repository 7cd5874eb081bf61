import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readDashboardSources } from 'svc/cli'
import { database, definePlugin } from 'svc/kernel'
import { choosePlugins } from 'svc/kernel/host'
import { testKernel } from 'svc/kernel/testing'
import { builtinPlugins } from 'svc/plugins'
import { buckets, cachedContents, cacheGauge, contents, copyKeepers, defineCopyKeeper, objects } from 'svc/plugins/storage'
import { expect, test } from 'vitest'

const here = fileURLToPath(new URL('.', import.meta.url))
/** Says that every content has a durable copy, so that its cached bytes may go. */
const keeper = definePlugin({
  id: 'keeper',
  requires: ['storage'],
  contributes: [
    copyKeepers.with(
      defineCopyKeeper({
        name: 'keeper',
        uses: {},
        holdings: async (_services, _read, ids) =>
          new Map(ids.map((id) => [id, { durableCopies: 1, readableCopies: 1, progress: 'storing' }])),
      }),
    ),
  ],
})

test('cached bytes of keys under the prefix are kept, and others are evicted', async () => {
  const plugins = [...builtinPlugins.filter(({ id }) => id === 'storage'), keeper]
  await using svc = await testKernel({ plugins, config: { 'plugins.packages': [here], 'cache.eviction_policy': 'after_upload' } })
  const { kernel } = svc
  await kernel.get(buckets).create({ name: 'photos', ownerAccessKey: null })
  const sizes = { 'a/legal/1': 300, 'legal/1': 400, legal: 500 }
  for (const [key, size] of Object.entries(sizes)) {
    const body = (async function* () {
      yield Buffer.alloc(size, key)
    })()
    const { contentId } = await kernel.get(objects).put({ bucket: 'photos', key, body, headers: { contentType: '', system: {}, user: {} } })
    await kernel.get(database).write(async (tx) => {
      await kernel.get(contents).recount(tx, [contentId ?? 0], Date.now())
      await kernel.get(cachedContents).reconcileCapacity(tx)
    })
  }
  await expect.poll(() => kernel.get(cacheGauge).stats().usedBytes).toBe(400)
  await using kept = await kernel.get(objects).open('photos', 'legal/1')
  expect(kept.source).toBe('cache')
})

const withoutChain = { 'chain.private_key': `0x${'1'.repeat(64)}`, 'chain.rpc_url': 'http://127.0.0.1:9', 'server.port': '127.0.0.1:0' }

test('the details of a bucket show the prefix, and the build of the dashboard finds its part', async () => {
  await using svc = await testKernel({ plugins: builtinPlugins, config: { ...withoutChain, 'plugins.packages': [here] } })
  await svc.call('POST', '/api/v1/buckets', { name: 'photos', owner_access_key: '__internal_root__' })
  const detail = await svc.call('GET', '/api/v1/buckets/photos')
  expect(detail.body).toMatchObject({ name: 'photos', replacements: [], legal_hold: { prefix: 'legal/' } })
  const { enabled } = await choosePlugins({ plugins: builtinPlugins, configPath: join(svc.dir, 'config.toml'), dataDir: svc.dir, env: {} })
  expect(await readDashboardSources(enabled)).toEqual(
    expect.arrayContaining([
      { plugin: 'admin', module: expect.stringMatching(/plugins\/admin\/ui\/index\.ts$/) },
      { plugin: 'legal-hold', module: join(here, 'ui', 'index.ts') },
    ]),
  )
})
