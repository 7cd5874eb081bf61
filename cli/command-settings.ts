import { dirname, join } from 'node:path'
import { type CommandCall, CommandError, type SettingValues } from '#kernel'
import { defaultDataDir, describeProblem, loadConfig, resolveConfigPath, type SettingTable, type TypedSection } from '#kernel/host'

/** The configuration file of a command, and the default directory of its data. */
interface CommandPlace {
  readonly configPath: string
  readonly dataDir: string
}

/** The configuration file: `--config`, then SVC_CONFIG, then ~/.svc/config.toml. The data directory is the one that holds it. */
export function findPlace({ flags, env, cwd }: Pick<CommandCall, 'flags' | 'env' | 'cwd'>): CommandPlace {
  const configPath = resolveConfigPath(flags.config, env, cwd)
  return { configPath, dataDir: dirname(configPath) }
}

/** The message for a configuration file that does not exist. */
export function adviseInit(configPath: string, env: CommandCall['env']): string {
  const dir = dirname(configPath)
  const flag = configPath === join(defaultDataDir(env), 'config.toml') ? '' : ` --dir ${dir}`
  return `${configPath} does not exist; run svc init${flag}`
}

/**
 * Some keys of one section as the service would read them (defaults < file < environment). Throws CommandError naming each of these
 * that is invalid or missing; problems elsewhere in the file are ignored.
 */
export function readSettings<S extends SettingTable, K extends keyof S & string>(
  call: Pick<CommandCall, 'flags' | 'env' | 'cwd'>,
  section: TypedSection<S>,
  keys: readonly K[],
): Pick<SettingValues<S>, K> {
  const { configPath, dataDir } = findPlace(call)
  const config = loadConfig({ path: configPath, dataDir, env: call.env, sections: [section] })
  const wanted = new Set(keys.map((key) => `${section.path}.${key}`))
  const problems = config.problems.filter(({ field }) => wanted.has(field))
  if (problems.length > 0) throw new CommandError(problems.map(describeProblem).join('; '))
  const values = config.values.get(section.path) as SettingValues<S>
  return Object.fromEntries(keys.map((key) => [key, values[key]])) as Pick<SettingValues<S>, K>
}
