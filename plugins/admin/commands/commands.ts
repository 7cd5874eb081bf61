import { adminFlags, watchFlag } from '#cli'
import { defineCommand } from '#kernel'
import { bucketCommands } from './bucket/commands.ts'
import { objectCommands } from './object/commands.ts'

/** Commands of `svc admin` that this plugin adds. */
export const adminCommands = [
  defineCommand({
    name: 'admin status',
    summary: 'Show health, version, cache and workers of the running service',
    examples: [
      ['svc admin status', 'The service on this machine'],
      ['svc admin status --watch', 'Follow it until Ctrl-C'],
      ['svc admin --admin-url https://svc.example.org --json status', 'Another service, for scripts'],
    ],
    flags: { ...adminFlags, watch: watchFlag },
    load: () => import('./status-command.ts'),
  }),
  defineCommand({
    name: 'admin events',
    summary: 'Follow the events of the running service: tasks, buckets, objects',
    examples: [
      ['svc admin events', 'One line for each event, until Ctrl-C'],
      [`svc admin events --json | jq -c 'select(.topic == "task_updated")'`, 'One JSON object a line, for scripts'],
    ],
    flags: adminFlags,
    load: () => import('./events-command.ts'),
  }),
  defineCommand({
    name: 'admin settings get',
    summary: 'Show the settings that can be changed over the Admin API: value, source, default and meaning',
    examples: [
      ['svc admin settings get', 'All settings, by section'],
      ['svc admin settings get cache', 'One section'],
      ['svc admin settings get cache.max_size_gb', 'One setting'],
      ['svc admin settings get cache.max_size_gb --value', 'Its value alone, for scripts'],
    ],
    parameters: ['[key]'],
    flags: { ...adminFlags, value: { type: 'switch', description: 'Print the value of the setting alone' } },
    load: () => import('./settings-get-command.ts'),
  }),
  defineCommand({
    name: 'admin settings set',
    summary: 'Change settings; they take effect at the next start',
    examples: [
      ['svc admin settings set cache.max_size_gb=200 logging.level=debug', 'Change two at once'],
      ['svc admin settings set chain.network=mainnet --yes', 'A high-risk change needs a confirmation'],
    ],
    parameters: ['<pairs...>'],
    flags: {
      ...adminFlags,
      yes: { type: 'switch', description: 'Confirm a high-risk change: chain.network, chain.allow_private_networks, plugins.disabled' },
    },
    load: () => import('./settings-set-command.ts'),
  }),
  ...bucketCommands,
  ...objectCommands,
]
