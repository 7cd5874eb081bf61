import { adminFlags } from '#cli'
import { defineCommand } from '#kernel'

const providerFilters = {
  status: { type: ['available', 'degraded', 'unavailable', 'unknown'], description: 'Only providers with this health' },
  provider: { type: 'text', description: 'Only the provider with this id in the registry' },
  limit: { type: 'number', max: 500, description: 'Providers to show; default 100' },
  offset: { type: 'number', min: 0, max: 1_000_000, description: 'Providers to skip' },
} as const

const dataSetFilters = {
  status: { type: ['available', 'degraded', 'unavailable', 'unknown'], description: 'Only data sets with this health' },
  provider: { type: 'text', description: 'Only data sets at the provider with this id' },
  bucket: { type: 'text', description: 'Only data sets of this bucket' },
  limit: { type: 'number', max: 500, description: 'Data sets to show; default 100' },
  offset: { type: 'number', min: 0, max: 1_000_000, description: 'Data sets to skip' },
} as const

/** Commands of `svc admin provider`, `svc admin data-set`, `svc admin object proof` and `svc admin verify`. */
export const observabilityCommands = [
  defineCommand({
    name: 'admin data-set list',
    summary: 'List the data sets of all buckets with their state on chain and their proofs',
    examples: [
      ['svc admin data-set list', 'All of them, by bucket, slot and generation'],
      ['svc admin data-set list --bucket photos --status degraded --json', 'Those of one bucket that need a look'],
    ],
    flags: { ...adminFlags, ...dataSetFilters },
    load: () => import('./data-set-list-command.ts'),
  }),
  defineCommand({
    name: 'admin data-set refresh',
    summary: 'Read the state of all data sets on chain now, then list them',
    examples: [['svc admin data-set refresh --bucket photos', 'All are read, and those of one bucket are shown']],
    flags: { ...adminFlags, ...dataSetFilters },
    load: () => import('./data-set-refresh-command.ts'),
  }),
  defineCommand({
    name: 'admin object proof',
    summary: 'Prove where the copies of an object are, with the calls that verify it on chain without svc',
    examples: [['svc admin object proof photos cat.jpg --json > proof.json', 'Keep the proof']],
    parameters: ['<bucket>', '<key>'],
    flags: { ...adminFlags, versionId: { type: 'text', description: 'This version; default the current one' } },
    load: () => import('./object-proof-command.ts'),
  }),
  defineCommand({
    name: 'admin verify',
    summary: 'Read a random share of the remote copies from their providers and compare them; it costs nothing but traffic',
    examples: [['svc admin verify --sample 1% --wait', 'Follow the check; exit code 1 when a copy is missing or damaged']],
    flags: {
      ...adminFlags,
      sample: { type: 'text', description: 'Share of the copies, such as 1% or 0.25%; default 1%' },
      wait: { type: 'switch', description: 'Follow the check to its end' },
    },
    load: () => import('./verify-command.ts'),
  }),
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
