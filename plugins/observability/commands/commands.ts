import { adminFlags } from '#cli'
import { defineCommand } from '#kernel'

const providerFilters = {
  status: { type: ['available', 'degraded', 'unavailable', 'unknown'], description: 'Only providers with this health' },
  provider: { type: 'text', description: 'Only the provider with this id in the registry' },
  limit: { type: 'number', max: 500, description: 'Providers to show; default 100' },
  offset: { type: 'number', min: 0, max: 1_000_000, description: 'Providers to skip' },
} as const

/** Commands of `svc admin provider`. */
export const observabilityCommands = [
  defineCommand({
    name: 'admin provider list',
    summary: 'List the registered providers with their health and our own measurements of them',
    examples: [
      ['svc admin provider list', 'All of them, by id'],
      ['svc admin provider list --status unavailable --json', 'Those that do not work, with every reason'],
    ],
    flags: { ...adminFlags, ...providerFilters },
    load: () => import('./provider-list-command.ts'),
  }),
  defineCommand({
    name: 'admin provider refresh',
    summary: 'Read the registry and ping the providers now, then list them',
    examples: [['svc admin provider refresh --provider 4', 'All are checked, and one is shown']],
    flags: { ...adminFlags, ...providerFilters },
    load: () => import('./provider-refresh-command.ts'),
  }),
  defineCommand({
    name: 'admin provider speed-test',
    summary: 'Upload 32 MiB of random bytes to a provider, which are not stored and cost nothing',
    examples: [['svc admin provider speed-test 4 --wait', 'Wait for the result: one sample, no guarantee']],
    parameters: ['<id>'],
    flags: { ...adminFlags, wait: { type: 'switch', description: 'Wait for the result; exit code 1 when the test failed' } },
    load: () => import('./provider-speed-test-command.ts'),
  }),
]
