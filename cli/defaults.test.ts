/** Default values. */
import { expect, test } from 'vitest'
import { cliCommands } from '#kernel'
import { loadContributions, prepareKernel } from '#kernel/host'
import { builtinPlugins } from '../plugins/index.ts'
import { svcHome } from './testing/run-svc.ts'

test.each([
  ['server.port', ':8080'],
  ['admin.addr', '127.0.0.1:9090'],
  ['admin.auth.enabled', true],
  ['admin.auth.username', 'admin'],
  ['admin.trusted_proxies', []],
  ['chain.allow_private_networks', false],
])('%s is %j unless it is set', async (field, value) => {
  using home = svcHome()
  const prepared = await prepareKernel({ plugins: builtinPlugins, configPath: `${home.dir}/config.toml`, dataDir: home.dir, env: {} })
  expect(prepared.config.raw.get(field)).toEqual(value)
})

test('svc provider list waits 5 s for each provider by default', async () => {
  const command = (await loadContributions(cliCommands, builtinPlugins)).find(({ item }) => item.name === 'provider list')
  expect(command?.item.flags?.timeout).toMatchObject({ type: 'duration', default: '5s' })
})
