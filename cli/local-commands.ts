import { type Command, defineCommand, type FlagSpec } from '#kernel'

/** A flag of every command that has a result for scripts. */
const json = { type: 'switch', description: 'Print the result as JSON, alone on standard output' } satisfies FlagSpec

/** The commands that the program itself brings; plugins add theirs through `cliCommands`. */
export const localCommands: readonly Command[] = [
  defineCommand({
    name: 'init',
    summary: 'Make the runtime directory with its configuration file and the Admin password',
    examples: [
      ['svc init', 'Use ~/.svc'],
      ['svc init --dir /srv/svc', 'Use another directory'],
    ],
    flags: { json, dir: { type: 'text', description: 'Runtime directory (default ~/.svc; ignores SVC_CONFIG)' } },
    noConfig: 'it writes config.toml into --dir',
    load: () => import('./init-command.ts'),
  }),
  defineCommand({
    name: 'serve',
    summary: 'Start the S3 API, the Admin API and the background tasks',
    examples: [
      ['svc serve', 'Use ~/.svc/config.toml'],
      ['svc serve -c /srv/svc/config.toml', 'Use another configuration file'],
      ['svc serve --set logging.level=debug --set admin.addr=127.0.0.1:9191', 'Change settings for this run only'],
      ['svc serve --wait 30s', 'Take over from an svc that is stopping'],
    ],
    flags: {
      set: { type: 'list', description: 'A setting for this run, as key=value; wins over the environment and the file; no secrets' },
      wait: { type: 'duration', description: 'Time another svc on the same data may take to stop', default: '0s' },
    },
    load: () => import('./serve-command.ts'),
  }),
  defineCommand({
    name: 'dev',
    summary: 'Try everything on this machine: a local chain, simulated providers and a ready gateway',
    examples: [
      ['svc dev', 'Start, or start again, in ./.svc-dev'],
      ['svc dev --s3-port 0 --admin-port 0', 'Let the system choose free ports'],
      ['svc dev --fresh --providers 8', 'Begin again with eight providers'],
    ],
    flags: {
      dir: { type: 'text', description: 'Where everything is kept', default: '.svc-dev' },
      providers: { type: 'number', description: 'Simulated storage providers', default: 5 },
      s3Port: { type: 'number', description: 'Port of the S3 API on 127.0.0.1', default: 8080 },
      adminPort: { type: 'number', description: 'Port of the Admin API on 127.0.0.1', default: 9090 },
      json,
      fresh: { type: 'switch', description: 'Delete the data of earlier runs in the directory first' },
    },
    noConfig: 'it keeps its own configuration in --dir',
    load: () => import('./dev/dev-command.ts'),
  }),
  defineCommand({
    name: 'migrate',
    summary: 'Apply pending database migrations and exit',
    examples: [['svc migrate', 'Bring the database of ~/.svc up to date; svc serve does it too']],
    flags: { json },
    load: () => import('./migrate-command.ts'),
  }),
  defineCommand({
    name: 'admin-auth reset-password',
    summary: 'Give the operator a new password, end every browser session, and switch authentication on',
    examples: [['svc admin-auth reset-password -c ~/.svc/config.toml', 'The file must be named; restart the service afterwards']],
    flags: { json },
    load: () => import('./reset-password-command.ts'),
  }),
  defineCommand({
    name: 'config validate',
    summary: 'Check the configuration file and the environment without starting',
    examples: [
      ['svc config validate', 'Check ~/.svc/config.toml and the SVC_ variables'],
      ['svc config validate -c new.toml --json', 'List the problems of another file for a script'],
    ],
    flags: { json },
    load: () => import('./validate-command.ts'),
  }),
  defineCommand({
    name: 'version',
    summary: 'Print the version',
    examples: [
      ['svc version', 'On one line'],
      ['svc version --json', 'For scripts'],
    ],
    flags: { json },
    load: () => import('./version-command.ts'),
  }),
  defineCommand({
    name: 'plugins list',
    summary: 'Show every plugin: whether it is on, what it requires and what it adds',
    examples: [['svc plugins list --json', 'With the name of everything a plugin adds']],
    flags: { json },
    load: () => import('./plugins-list-command.ts'),
  }),
  defineCommand({
    name: 'plugins enable',
    summary: 'Switch plugins on in the configuration file',
    examples: [['svc plugins enable observability', 'Takes effect at the next start']],
    parameters: ['<ids...>'],
    flags: { json },
    load: async () => ({ run: (await import('./plugins-switch-command.ts')).enablePlugins }),
  }),
  defineCommand({
    name: 'plugins disable',
    summary: 'Switch plugins off in the configuration file; their data stays untouched',
    examples: [['svc plugins disable observability', 'Takes effect at the next start']],
    parameters: ['<ids...>'],
    flags: { json },
    load: async () => ({ run: (await import('./plugins-switch-command.ts')).disablePlugins }),
  }),
  defineCommand({
    name: 'completions bash',
    summary: 'Print what makes bash complete the commands and flags of svc, those of plugins too',
    examples: [['svc completions bash >> ~/.bashrc', 'For every new shell; svc must be in the PATH']],
    load: async () => ({ run: (await import('./completions-command.ts')).printBash }),
  }),
  defineCommand({
    name: 'completions zsh',
    summary: 'Print what makes zsh complete the commands and flags of svc, those of plugins too',
    examples: [['svc completions zsh >> ~/.zshrc', 'For every new shell, after the line with compinit']],
    load: async () => ({ run: (await import('./completions-command.ts')).printZsh }),
  }),
  defineCommand({
    name: 'completions fish',
    summary: 'Print what makes fish complete the commands and flags of svc, those of plugins too',
    examples: [['svc completions fish > ~/.config/fish/completions/svc.fish', 'For every new shell']],
    load: async () => ({ run: (await import('./completions-command.ts')).printFish }),
  }),
]
