/** Finds the commands: those of the program and of the enabled plugins, built-in and third-party. */
import { type CommandCall, CommandError, cliCommands, type Plugin } from '#kernel'
import { type Command, choosePlugins, loadContributions } from '#kernel/host'
import { findPlace } from './command-settings.ts'
import { localCommands } from './commands/local-commands.ts'

interface Caller {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

/** The part of a line that can be read before the commands of plugins are known. */
interface LineStart {
  readonly words: readonly string[]
  readonly flags: CommandCall['flags']
}

export interface CommandSet {
  readonly commands: readonly Command[]
  /** Commands of disabled plugins: name → plugin id. */
  readonly switchedOff: ReadonlyMap<string, string>
  /** Plugins that rest, with the disabled plugin that each waits for. */
  readonly resting: ReadonlyMap<string, string>
  /** Why the configuration cannot be used, so that commands of plugins may be missing. */
  readonly trouble: string | undefined
}

/**
 * A command of the program needs no plugin, so `svc plugins` and `svc version` work with any configuration.
 * With an unusable configuration the commands of all built-in plugins are there.
 */
export async function findCommands({ words, flags }: LineStart, caller: Caller): Promise<CommandSet> {
  if (namesLocalCommand(words.join(' '))) return { commands: localCommands, switchedOff: new Map(), resting: new Map(), trouble: undefined }
  const { builtinPlugins } = await import('../plugins/index.ts')
  const { enabled, disabled, resting, trouble } = await readPlugins(builtinPlugins, flags.config || undefined, caller)
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
    resting,
    trouble,
  }
}

const namesLocalCommand = (line: string): boolean => localCommands.some(({ name }) => line === name || line.startsWith(`${name} `))

interface PluginChoice {
  readonly enabled: readonly Plugin[]
  readonly disabled: readonly Plugin[]
  readonly resting: ReadonlyMap<string, string>
  readonly trouble: string | undefined
}

async function readPlugins(builtin: readonly Plugin[], config: string | undefined, { env, cwd }: Caller): Promise<PluginChoice> {
  try {
    const chosen = await choosePlugins({ plugins: builtin, ...findPlace({ flags: { config }, env, cwd }), env })
    return { ...chosen, trouble: undefined }
  } catch (error) {
    // The help and the commands that correct the configuration must work. A command that needs it reports the error itself.
    return { enabled: builtin, disabled: [], resting: new Map(), trouble: error instanceof Error ? error.message : String(error) }
  }
}
