import { join } from 'node:path'
import { expect, test } from 'vitest'
import { svcHome } from '../../../cli/testing/run-svc.ts'
import { startDevnet } from '../../../devnet/devnet.ts'

test('svc provider list waits for a provider until --timeout; the default is longer', async () => {
  using home = svcHome()
  await using devnet = await startDevnet({ dir: join(home.dir, 'devnet'), providers: 2 })
  devnet.providers[0]?.faults.add({ kind: 'delay', delayMs: 2500, routes: ['ping'] })
  const list = async (...flags: readonly string[]) => {
    const { stdout } = await home.run(['provider', 'list', '--json', ...flags], {
      SVC_CHAIN_NETWORK: 'devnet',
      SVC_CHAIN_DEVNET_INFO: devnet.infoPath,
      SVC_CHAIN_ALLOW_PRIVATE_NETWORKS: 'true',
    })
    return (JSON.parse(stdout) as readonly { readonly health_status: string }[]).map(({ health_status }) => health_status)
  }
  expect(await list('--timeout', '1500ms')).toEqual(['unreachable', 'reachable'])
  expect(await list()).toEqual(['reachable', 'reachable'])
})
