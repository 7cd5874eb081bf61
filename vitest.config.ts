import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { CostlyFirst } from './tools/costly-first.ts'
import { waitingTests } from './tools/test-costs.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

export default defineConfig({
  test: {
    isolate: false,
    // Node runs the TypeScript of tests as it runs the product.
    experimental: { viteModuleRunner: false },
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
        // More workers than cores: most of the time they wait for blocks and for processes to start.
        test: { name: 'waiting', include: waitingTests, maxWorkers: 4, maxConcurrency: 5, sequence: { groupOrder: 1 } },
      },
      {
        extends: true,
        test: {
          name: 'computing',
          include: ['{kernel,plugins,cli,tools,examples}/**/*.test.ts'],
          exclude: waitingTests,
          setupFiles: [path('./tools/share-kernel-modules.ts')],
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
