import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

export default defineConfig({
  resolve: {
    alias: {
      'svc/kernel/schema': path('./kernel/schema.ts'),
      'svc/kernel/testing': path('./kernel/testing/index.ts'),
      'svc/kernel': path('./kernel/index.ts'),
    },
  },
  test: {
    include: ['{kernel,plugins,cli,devnet,tools,examples,bench,e2e}/**/*.test.ts'],
    isolate: false,
    // Two cores: more workers only make the devnet tests wait for each other.
    maxWorkers: 2,
    // Whole gateways run at the same time in the crash tests.
    maxConcurrency: 3,
    testTimeout: 60_000,
    // A busy machine is no failure; a test that fails anyway may take its time.
    expect: { poll: { timeout: 20_000, interval: 20 } },
    hookTimeout: 120_000,
    reporters: ['default', './tools/closing-reporter.ts'],
  },
})
