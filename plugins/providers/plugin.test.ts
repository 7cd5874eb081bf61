import { expect, test } from 'vitest'
import { testKernel } from '#kernel/testing'
import { builtinPlugins } from '../index.ts'

const config = { 'server.port': '127.0.0.1:0', 'chain.private_key': '42'.repeat(32), 'chain.rpc_url': 'http://127.0.0.1:9/' }

test('while the plugin is disabled the start names the plugins that need it', async () => {
  await expect(testKernel({ plugins: builtinPlugins, config: { ...config, 'plugins.disabled': ['providers'] } })).rejects.toThrow(
    /'replication' requires 'providers', which is disabled/,
  )
})
