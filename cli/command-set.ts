/** Finds the commands: those of the program and of the enabled plugins, built-in and third-party. */
import { parseArgs } from 'node:util'
import { CommandError, cliCommands, type Plugin } from '#kernel'
import { type Command, choosePlugins, loadContributions } from '#kernel/host'
import { findPlace } from './command-settings.ts'
import { localCommands } from './commands/local-commands.ts'

interface Caller {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

export interface CommandSet {
  readonly commands: readonly Command[]
  /** Commands of disabled plugins: name → plugin id. */
  readonly switchedOff: ReadonlyMap<string, string>
  /** Why the configuration cannot be used, so that commands of plugins may be missing. */
  readonly trouble: string | undefined
}

/**
 * A command of the program needs no plugin, so `svc plugins` and `svc version` work with any configuration.
 * With an unusable configuration the commands of all built-in plugins are there.
 */
export async function findCommands(argv: readonly string[], caller: Caller): Promise<CommandSet> {
  if (namesLocalCommand(argv)) return { commands: localCommands, switchedOff: new Map(), trouble: undefined }
  const { builtinPlugins } = await import('../plugins/index.ts')
  const { enabled, disabled, trouble } = await readPlugins(builtinPlugins, argv, caller)
  const added = await loadContributions(cliCommands, enabled)
  const owners = new Map(localCommands.map(({ name }) => [name, 'svc']))
  for (const { plugin, item } of added) {
    const other = owners.get(item.name)
    if (other) throw new CommandError(`both ${other} and the plugin '${plugin.id}' have a command '${item.name}'; disable one of them`)
    owners.set(item.name, `the plugin '${plugin.id}'`)
  }
  return {
    commands: [...localCommands, ...added.map(({ item }) => item)],
    switchedOff: new Map((await loadContributions(cliCommands, disabled)).map(({ plugin, item }) => [item.name, plugin.id])),
    trouble,
  }
}

function namesLocalCommand(argv: readonly string[]): boolean {
  const line = argv.filter((word) => !word.startsWith('-')).join(' ')
  const names = localCommands.map(({ name }) => name)
  return names.some((name) => line === name || line.startsWith(`${name} `))
}

interface PluginChoice {
  readonly enabled: readonly Plugin[]
  readonly disabled: readonly Plugin[]
  readonly trouble: string | undefined
}

async function readPlugins(builtin: readonly Plugin[], argv: readonly string[], { env, cwd }: Caller): Promise<PluginChoice> {
  try {
    const chosen = await choosePlugins({ plugins: builtin, ...findPlace({ flags: { config: configFlag(argv) }, env, cwd }), env })
    return { ...chosen, trouble: undefined }
  } catch (error) {
    // The help and the commands that correct the configuration must work. A command that needs it reports the error itself.
    return { enabled: builtin, disabled: [], trouble: error instanceof Error ? error.message : String(error) }
  }
}

/** The flag decides which commands exist, so the rest of the line cannot be checked yet. */
function configFlag(argv: readonly string[]): string | undefined {
  const { values } = parseArgs({ args: [...argv], options: { config: { type: 'string', short: 'c' } }, strict: false })
  return typeof values.config === 'string' && values.config !== '' ? values.config : undefined
}
