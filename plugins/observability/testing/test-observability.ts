import { type Clock, clock, configSections, database, dbSchemas, definePlugin, log, provide } from '#kernel'
import { type TestKernel, type TestKernelOptions, testKernel } from '#kernel/testing'
import { observabilitySection, type Providers, providers } from '#plugins/providers'
import { createProviders, providerMigrations, registryChain, type TestRecord } from '../../providers/testing/index.ts'
import { observabilityPlugin } from '../plugin.ts'

export interface TestObservability extends TestKernel {
  readonly providers: Providers
  /** While set, reads of the chain are rejected as by an unreachable node. */
  readonly chain: { isSilent: boolean }
}

interface Options extends Partial<Pick<TestKernelOptions, 'config' | 'dir'>> {
  /** The registry; the list may change between two reads. */
  readonly records: readonly TestRecord[]
  readonly clock?: Clock
}

/** Observability in a real kernel, with the real inventory of the registry of a test. The inventory is refreshed only when the test does. */
export async function testObservability({ records, ...options }: Options): Promise<TestObservability> {
  const chain = { isSilent: false }
  const registry = registryChain(records)
  const read = ((call: never) =>
    chain.isSilent
      ? Promise.reject(Object.assign(new Error('no answer from https://node.example/?key=secret'), { code: 'chain_unreachable' }))
      : registry.read(call)) as typeof registry.read
  const plugin = definePlugin({
    id: 'providers',
    provides: [
      provide(providers, { database, clock, log }, (deps) =>
        createProviders({
          ...deps,
          chain: { ...registry, read },
          egress: { allowPrivateNetworks: true },
          slots: { store: 8, lookup: 4, mutation: 4, removal: 2 },
          facts: { of: () => ({}) },
          checks: { interval: 300_000, timeout: 500, concurrency: 8 },
        }),
      ),
    ],
    contributes: [
      dbSchemas.with({ name: 'providers', load: async () => ({ migrations: providerMigrations }) }),
      configSections.with(observabilitySection),
    ],
  })
  const kernel = await testKernel({ plugins: [plugin, observabilityPlugin], ...options })
  return { ...kernel, providers: kernel.kernel.get(providers), chain }
}
