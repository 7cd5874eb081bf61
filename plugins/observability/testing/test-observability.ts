import { setImmediate } from 'node:timers/promises'
import { type Clock, clock, configSections, database, dbSchemas, definePlugin, log, provide } from '#kernel'
import { type TestKernel, type TestKernelOptions, testKernel } from '#kernel/testing'
import { observabilitySection, type Providers, providers } from '#plugins/providers'
import { createProviders, providerMigrations, registryChain, type TestRecord } from '../../providers/testing/index.ts'
import { observabilityPlugin } from '../plugin.ts'

interface TestChain {
  isSilent: boolean
  /** Reads so far, and the turns of the event loop that began some: the chain client sends those of one turn as one multicall. */
  readonly reads: { calls: number; batches: number }
}

export interface TestObservability extends TestKernel {
  readonly providers: Providers
  /** While set, reads of the chain are rejected as by an unreachable node. */
  readonly chain: TestChain
}

interface Options extends Partial<Pick<TestKernelOptions, 'config' | 'dir'>> {
  /** The registry; the list may change between two reads. */
  readonly records: readonly TestRecord[]
  readonly clock?: Clock
  /** What the test adds to these two. */
  readonly plugins?: TestKernelOptions['plugins']
}

/** Observability in a real kernel, with the real inventory of the registry of a test. The inventory is refreshed only when the test does. */
export async function testObservability({ records, plugins = [], ...options }: Options): Promise<TestObservability> {
  const chain: TestChain = { isSilent: false, reads: { calls: 0, batches: 0 } }
  let isCounting = false
  const registry = registryChain(records)
  const read = ((call: never) => {
    chain.reads.calls += 1
    if (!isCounting) {
      isCounting = true
      chain.reads.batches += 1
      void setImmediate().then(() => {
        isCounting = false
      })
    }
    if (!chain.isSilent) return setImmediate().then(() => registry.read(call))
    return Promise.reject(Object.assign(new Error('no answer from https://node.example/?key=secret'), { code: 'chain_unreachable' }))
  }) as typeof registry.read
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
  const kernel = await testKernel({ plugins: [...plugins, plugin, observabilityPlugin], ...options })
  return { ...kernel, providers: kernel.kernel.get(providers), chain }
}
