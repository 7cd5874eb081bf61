import { existsSync, statfsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { CostlyFirst } from './tools/costly-first.ts'
import { computingTests, earlierNetworkTests, findEngineTests, longTests, renderingTests, waitingTests } from './tools/test-costs.ts'
import { compileComponents } from './ui/build/compile-components.ts'
import { icons } from './ui/build/icons.ts'
import { pluginUis } from './ui/build/plugin-uis.ts'

const freeBytes = (dir: string) => {
  const { bavail, bsize } = statfsSync(dir)
  return bavail * bsize
}
const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

/** Durable commits to a disk would take most of the time of the computing tests. Where there is room, their files are in memory. */
const memory = '/dev/shm'
const inMemory = existsSync(memory) && freeBytes(memory) > 2 ** 30 ? { TMPDIR: memory } : {}

/** The projects whose tests wait run together. */
const waiting = {
  // More workers than cores: most of the time they wait for blocks and for processes to start.
  maxWorkers: 4,
  maxConcurrency: 5,
  // Browsers and gateways share two cores with the files of three other workers.
  testTimeout: 240_000,
  hookTimeout: 300_000,
  sequence: { groupOrder: 1 },
}

export default defineConfig({
  test: {
    isolate: false,
    // Node runs the TypeScript of tests as it runs the product.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    setupFiles: [path('./tools/measure-cost.ts')],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A busy machine is no failure; a test that fails anyway may take its time.
    expect: { poll: { timeout: 20_000, interval: 20 } },
    reporters: ['default', './tools/closing-reporter.ts'],
    sequence: { sequencer: CostlyFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'waiting',
          include: waitingTests,
          exclude: process.env.SVC_TEST_LONG === '0' ? longTests : [],
          ...waiting,
        },
      },
      {
        extends: true,
        test: {
          name: 'computing',
          include: computingTests,
          exclude: waitingTests,
          env: { SVC_TEST_ENGINE: 'sqlite', ...inMemory },
          setupFiles: [path('./tools/share-kernel-modules.ts')],
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'earlier-network',
          include: earlierNetworkTests,
          env: { SVC_DEVNET_NETWORK: '1.3' },
          ...waiting,
        },
      },
      {
        extends: true,
        // Each worker starts a server.
        test: {
          name: 'postgres',
          include: [...findEngineTests()],
          env: { SVC_TEST_ENGINE: 'postgres', ...inMemory },
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        plugins: [icons(), pluginUis([]), compileComponents({ srcDir: path('./ui/src') })],
        resolve: { alias: { '@svc/ui-kit': path('./ui/src/kit.ts'), 'svc/ui-kit': path('./ui/src/kit.ts') } },
        test: {
          name: 'rendering',
          include: renderingTests,
          // Components are compiled.
          experimental: { viteModuleRunner: true, nodeLoader: true },
          maxWorkers: 2,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
})
