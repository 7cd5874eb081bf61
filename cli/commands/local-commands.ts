import { defineCommand, type FlagSpec } from '#kernel'
import type { Command } from '#kernel/host'

const portMax = 65_535

/** Flag of every command whose result scripts may read. */
const json = { type: 'switch', description: 'Print the result as JSON, alone on standard output' } as const satisfies FlagSpec

const anySize = (description: string) => ({ type: 'switch', description }) as const satisfies FlagSpec

/** The commands of the program; plugins add theirs through `cliCommands`. */
export const localCommands: readonly Command[] = [
  defineCommand({
    name: 'init',
    summary: 'Create the runtime directory with its configuration file and the Admin password',
    examples: [
      ['svc init', 'Use ~/.svc'],
      ['svc init --dir /srv/svc', 'Use another directory'],
      ['svc init --any-size', 'Accept objects from 0 bytes to 5 TiB'],
    ],
    flags: {
      json,
      dir: { type: 'text', description: 'Runtime directory (default ~/.svc; ignores SVC_CONFIG)' },
      anySize: anySize('Set s3.object_sizes to any: accept objects from 0 bytes to 5 TiB'),
    },
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
      set: { type: 'list', description: 'Setting for this run as key=value, overriding the environment and the file; secrets are refused' },
      wait: { type: 'duration', description: 'Longest wait for another svc on the same data to stop', default: '0s' },
    },
    load: () => import('./serve-command.ts'),
  }),
  defineCommand({
    name: 'dev',
    summary: 'Try everything on this machine: a local chain, simulated providers and a ready gateway',
    examples: [
      ['svc dev', 'Start or restart in ./.svc-dev'],
      ['svc dev --s3-port 0 --admin-port 0', 'Use any free ports'],
      ['svc dev --fresh --providers 8', 'Delete the data and start with eight providers'],
    ],
    flags: {
      dir: { type: 'text', description: 'Directory for all data', default: '.svc-dev' },
      providers: { type: 'number', max: 20, description: 'Simulated storage providers', default: 5 },
      s3Port: { type: 'number', min: 0, max: portMax, description: 'Port of the S3 API on 127.0.0.1', default: 8080 },
      adminPort: { type: 'number', min: 0, max: portMax, description: 'Port of the Admin API on 127.0.0.1', default: 9090 },
      json,
      anySize: anySize('Accept objects from 0 bytes to 5 TiB in this run and later ones'),
      fresh: { type: 'switch', description: 'Delete the data of earlier runs in the directory first' },
    },
    noConfig: 'it keeps its own configuration in --dir',
    load: () => import('../dev/dev-command.ts'),
  }),
  defineCommand({
    name: 'migrate',
    summary: 'Apply pending database migrations and exit',
    examples: [
      ['svc migrate', 'Update the database of ~/.svc without a copy of it; svc serve updates it too, with one'],
      ['svc migrate --backup', 'Copy an SQLite database first, as svc serve does, and say how to go back'],
      ['svc migrate --status', 'Show what is pending, which svc can read the data, and the copies; also while svc runs'],
      ['svc migrate --forget-backup', 'Remove the copies, after the new version has proved itself'],
    ],
    flags: {
      backup: { type: 'switch', description: 'Copy the database beside it before the migrations' },
      status: { type: 'switch', description: 'Show applied and pending migrations and the copies; change nothing' },
      forgetBackup: { type: 'switch', description: 'Remove the copies from before upgrades' },
      json,
    },
    load: () => import('./migrate-command.ts'),
  }),
  defineCommand({
    name: 'backup',
    summary:
      'Copy the database, the contents that no provider has yet, and the configuration into a directory, while svc runs or is stopped',
    examples: [
      ['svc backup /mnt/backup', 'Make or renew the backup there; files that it has already are not copied again'],
      ['svc backup /mnt/backup --all', 'Also cached contents that providers have, so that nothing must be read from them'],
      ['svc backup verify /mnt/backup', 'Compare every byte of the backup with its checksums'],
      ['svc backup /mnt/backup --with-secrets', 'Also the wallet key and the Admin password of the configuration file'],
    ],
    parameters: ['<dir>'],
    flags: {
      all: { type: 'switch', description: 'Also cached contents with enough committed copies' },
      withSecrets: { type: 'switch', description: 'Copy the configuration file as it is, with its secrets' },
      json,
    },
    load: () => import('../backup/backup-command.ts'),
  }),
  defineCommand({
    name: 'backup verify',
    summary: 'Compare every byte of a backup with its checksums',
    examples: [['svc backup verify /mnt/backup', 'Exit code 1 when a file is missing or damaged']],
    parameters: ['<dir>'],
    flags: { json },
    noConfig: 'it reads only the backup',
    load: () => import('../backup/verify-command.ts'),
  }),
  defineCommand({
    name: 'restore',
    summary: 'Restore a backup into a new data directory, and say what is only at providers',
    examples: [
      ['svc restore /mnt/backup --to /srv/svc', 'The former gateway must not run any more; then set chain.private_key and start svc serve'],
    ],
    parameters: ['<dir>'],
    flags: { to: { type: 'text', required: true, description: 'Data directory to make; refused when it has files' }, json },
    noConfig: 'it writes config.toml into --to',
    load: () => import('../backup/restore-command.ts'),
  }),
  defineCommand({
    name: 'doctor',
    summary: 'Check database, cache, chain and providers against each other, and say how to repair what differs',
    examples: [
      ['svc doctor', 'While svc is stopped; compares samples where everything would take long'],
      ['svc doctor --online', 'While svc is running, through the Admin API'],
      [
        'svc doctor --whole --json > report.json',
        'Compare everything; exit code 1 with errors, 3 with warnings only, 4 when a check failed',
      ],
      ['svc doctor --only storage,kernel.database', 'Some checks; svc doctor --list shows their names'],
      ['svc doctor --local', 'Without the chain and the providers'],
      ['svc doctor --fix --yes', 'Also repair what can be repaired without risk'],
    ],
    flags: {
      online: { type: 'switch', description: 'Ask the running gateway, which stays in service' },
      list: { type: 'switch', description: 'List the checks and run none' },
      only: { type: 'list', description: 'Checks to run, or plugins, such as storage.cache-files or storage; separated by commas' },
      sample: { type: 'number', max: 200, description: 'Entries that sampling checks compare, 1 to 200', default: 20 },
      whole: { type: 'switch', description: 'Compare everything instead of samples: every byte of the cache, every piece at its provider' },
      local: { type: 'switch', description: 'Leave out checks that ask the chain or providers' },
      fix: { type: 'switch', description: 'Apply the fixes that findings name; asks for confirmation' },
      yes: { type: 'switch', description: 'Apply the fixes without asking' },
      json,
      adminUrl: { type: 'text', description: 'With --online: address of the Admin API; else admin.addr of the configuration' },
      timeout: { type: 'duration', description: 'With --online: longest wait for one answer', default: '10s' },
    },
    load: () => import('../doctor/doctor-command.ts'),
  }),
  defineCommand({
    name: 'admin-auth reset-password',
    summary: 'Set a new Admin password, end every browser session and enable authentication',
    examples: [['svc admin-auth reset-password -c ~/.svc/config.toml', 'Name the file; restart the service afterwards']],
    flags: { json },
    load: () => import('./reset-password-command.ts'),
  }),
  defineCommand({
    name: 'admin-auth remove-second-factor',
    summary: 'Turn the second factor of the local admin off where the service runs',
    examples: [['svc admin-auth remove-second-factor -c /srv/svc/config.toml', 'When the app and the recovery codes are lost']],
    flags: { json },
    load: () => import('./remove-second-factor-command.ts'),
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
    summary: 'Print version, commit and build time',
    examples: [
      ['svc version', 'On one line'],
      ['svc version --json', 'For scripts'],
      [
        'svc version --check feed.json --key publisher.pem',
        'Compare with a signed release feed, a file or a URL; exit code 3 when there is a newer release',
      ],
    ],
    flags: {
      check: { type: 'text', description: 'File or URL of a signed release feed; svc asks no server by itself' },
      key: { type: 'text', description: 'With --check: ed25519 public key of the publisher, in base64, or a file with it' },
      json,
    },
    load: () => import('./version-command.ts'),
  }),
  defineCommand({
    name: 'plugins list',
    summary: 'List the plugins with their state, requirements and contributions',
    examples: [['svc plugins list --json', 'Include the name of every contribution']],
    flags: { json },
    load: () => import('./plugins-list-command.ts'),
  }),
  defineCommand({
    name: 'plugins enable',
    summary: 'Enable plugins in the configuration file',
    examples: [['svc plugins enable observability', 'Takes effect at the next start']],
    parameters: ['<ids...>'],
    flags: { json },
    load: async () => ({ run: (await import('./plugins-switch-command.ts')).enablePlugins }),
  }),
  defineCommand({
    name: 'plugins disable',
    summary: 'Disable plugins in the configuration file, keeping their data',
    examples: [['svc plugins disable observability', 'Takes effect at the next start']],
    parameters: ['<ids...>'],
    flags: { json },
    load: async () => ({ run: (await import('./plugins-switch-command.ts')).disablePlugins }),
  }),
  defineCommand({
    name: 'plugins pages',
    summary: 'List the pages of the enabled plugins in the served dashboard',
    examples: [['svc plugins pages --json', 'With the file that declares each page']],
    flags: { json },
    load: () => import('./plugins-pages-command.ts'),
  }),
  defineCommand({
    name: 'plugins build',
    summary: 'Build the dashboard with the pages of the plugins that the configuration names',
    examples: [
      ['svc plugins build', 'Replace what the gateway shows, without a restart; a build of another svc, or a damaged one, is not served'],
      ['svc plugins build --out ./dashboard', 'Build for an image; the folder must be new, empty or an earlier build'],
      ['npx svc plugins build -c ./config.toml', 'Use the build tools of a project; without them the command prints what to install'],
    ],
    flags: { out: { type: 'text', description: 'Folder of the build (default: dashboard beside the configuration)' }, json },
    load: () => import('./plugins-build-command.ts'),
  }),
  defineCommand({
    name: 'completions bash',
    summary: 'Print the bash completion script',
    examples: [['svc completions bash >> ~/.bashrc', 'Enable completion in every new shell']],
    load: async () => ({ run: (await import('./completions-command.ts')).printBash }),
  }),
  defineCommand({
    name: 'completions zsh',
    summary: 'Print the zsh completion script',
    examples: [['svc completions zsh >> ~/.zshrc', 'Enable completion in every new shell; place it after compinit']],
    load: async () => ({ run: (await import('./completions-command.ts')).printZsh }),
  }),
  defineCommand({
    name: 'completions fish',
    summary: 'Print the fish completion script',
    examples: [['svc completions fish > ~/.config/fish/completions/svc.fish', 'Enable completion in every new shell']],
    load: async () => ({ run: (await import('./completions-command.ts')).printFish }),
  }),
]
