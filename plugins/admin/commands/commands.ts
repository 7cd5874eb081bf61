import { adminFlags, defineCommand } from '#kernel'

/** What `svc admin` offers of this plugin. */
export const adminCommands = [
  defineCommand({
    name: 'admin status',
    summary: 'Show how the running service is: health, version, cache and workers',
    examples: [
      ['svc admin status', 'Of the service on this machine'],
      ['svc admin --admin-url https://svc.example.org --json status', 'Of another one, for scripts'],
    ],
    flags: adminFlags,
    load: () => import('./status-command.ts'),
  }),
  defineCommand({
    name: 'admin settings get',
    summary: 'Show the settings, or one of them',
    examples: [
      ['svc admin settings get', 'All that can be changed here'],
      ['svc admin settings get cache.max_size_gb', 'One value, bare'],
    ],
    parameters: ['[key]'],
    flags: adminFlags,
    load: () => import('./settings-get-command.ts'),
  }),
  defineCommand({
    name: 'admin settings set',
    summary: 'Change settings; they take effect at the next start',
    examples: [
      ['svc admin settings set cache.max_size_gb=200 logging.level=debug', 'Change two at once'],
      ['svc admin settings set chain.network=mainnet --yes', 'Some changes need a confirmation'],
    ],
    parameters: ['<pairs...>'],
    flags: { ...adminFlags, yes: { type: 'switch', description: 'Confirm a change that costs money or opens the service' } },
    load: () => import('./settings-set-command.ts'),
  }),
]
