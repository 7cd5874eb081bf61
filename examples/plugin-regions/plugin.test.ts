import { fileURLToPath } from 'node:url'
import { testKernel } from 'svc/kernel/testing'
import { builtinPlugins } from 'svc/plugins'
import { providerFacts } from 'svc/plugins/providers'
import { expect, test } from 'vitest'

/** Nothing listens on the discard port: no chain is needed to state facts. */
const withoutChain = { 'chain.private_key': `0x${'1'.repeat(64)}`, 'chain.rpc_url': 'http://127.0.0.1:9', 'server.port': '127.0.0.1:0' }
const config = {
  ...withoutChain,
  'plugins.packages': [fileURLToPath(new URL('.', import.meta.url))],
  'regions.providers': ['7=eu', '8=eu', '77=us'],
  'regions.preferred': 'eu',
  'regions.blocked': ['us'],
}

test('the plugin states facts about providers and adds to the overview', async () => {
  await using svc = await testKernel({ plugins: builtinPlugins, config })
  const facts = svc.kernel.get(providerFacts)
  expect(['7', '77', '9'].map((id) => facts.of(id))).toEqual([
    { region: 'eu', preference: 1 },
    { region: 'us', preference: 0, blocked: 'the region us is blocked' },
    {},
  ])
  expect((await svc.call('GET', '/api/v1/overview')).body).toMatchObject({ provider_regions: { eu: 2, us: 1 }, system: { mode: 'full' } })
})
