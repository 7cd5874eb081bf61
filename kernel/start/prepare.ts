import { findAdminExposure } from '../auth/admin-exposure.ts'
import type { ConfigState } from '../config/config-state.ts'
import { type ConfigProblem, type LoadedConfig, loadConfig } from '../config/load.ts'
import { configSections, envName, type Section, type SettingsReader, type SettingValues } from '../config/section.ts'
import { findResting, type OrderedPlugins, orderPlugins, PluginGraphError } from '../core/graph.ts'
import { type LoadedPlugin, loadPlugin } from '../core/loaded-plugin.ts'
import { decideMode, type ModeDecision } from '../core/mode.ts'
import type { Plugin } from '../core/plugin.ts'
import { loadThirdPartyPlugins } from '../core/third-party.ts'
import { checkServices, contributionsTo } from '../core/wiring.ts'
import { databaseSection } from '../db/database-settings.ts'
import { findMisplacedDirectories } from '../lock/misplaced-directories.ts'
import { ownedDirectories } from '../lock/owned-directory.ts'
import { kernelSections, pluginsSection } from './kernel-sections.ts'
import { kernelServices } from './kernel-services.ts'

interface PrepareRequest {
  readonly plugins: readonly Plugin[]
  readonly configPath: string
  readonly dataDir: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Dotted path → text; wins over the environment and the file. */
  readonly flags?: Readonly<Record<string, string>>
}

/** The result of reading the configuration: the plugins in start order, the settings and the mode. Nothing runs yet. */
export interface PreparedKernel extends OrderedPlugins<LoadedPlugin> {
  readonly config: LoadedConfig
  readonly sections: readonly Section[]
  readonly configState: ConfigState
  readonly decision: ModeDecision<ConfigProblem>
  readonly dsn: string
  /** Values that must not appear in a log line. */
  readonly secrets: readonly string[]
  readonly settings: SettingsReader
}

/** Throws PluginGraphError on plugins that cannot run together, and a config error on an unreadable file. Has no effect on the machine. */
export async function prepareKernel(request: PrepareRequest): Promise<PreparedKernel> {
  const { configPath, dataDir, env, flags = {} } = request
  const choice = await readChoice(request)
  const all = await Promise.all(choice.plugins.map(loadPlugin))
  // Sections of disabled plugins stay known, so that their settings in the file are not called unknown.
  const sections = [...kernelSections, ...contributionsTo(configSections, all).map(({ item }) => item)]
  const arrange = (disabledIds: readonly string[], place?: string) => arrangePlugins(orderPlugins(all, disabledIds, place), sections)
  const { enabled, disabled, resting } = arrange(choice.disabled, choice.disabledPlace)
  const reload: ConfigState['reload'] = (changes = {}) =>
    withMisfits(
      withExposure(withMisplaced(withoutDisabled(loadConfig({ path: configPath, dataDir, env, flags, sections, changes }), all), enabled)),
      arrange,
    )
  const config = reload()
  const settings = (section: Section) => config.values.get(section.path)
  return {
    enabled,
    disabled,
    resting,
    config,
    sections,
    configState: {
      loaded: config,
      sections,
      reload,
      preview: (changes) =>
        withMisfits(withMisplaced(loadConfig({ path: configPath, dataDir, env: {}, sections, changes }), enabled), arrange),
    },
    decision: decideMode(config.problems),
    dsn: dsnOf(config),
    secrets: secretValues(config, sections),
    settings: settings as SettingsReader,
  }
}

/** The enabled and the disabled plugins, without importing more than their declarations. Throws PluginGraphError, and on an unreadable file. */
export async function choosePlugins(request: PrepareRequest): Promise<OrderedPlugins<Plugin>> {
  const { plugins, disabled, disabledPlace } = await readChoice(request)
  return orderPlugins(plugins, disabled, disabledPlace)
}

/** Reads the section `plugins` alone: the sections of the plugins are not known yet. */
async function readChoice({ plugins, configPath, dataDir, env, flags = {} }: PrepareRequest) {
  const onlyPlugins = Object.fromEntries(Object.entries(flags).filter(([field]) => field.startsWith('plugins.')))
  const config = loadConfig({ path: configPath, dataDir, env, flags: onlyPlugins, sections: [pluginsSection] })
  const { packages, disabled } = config.values.get(pluginsSection.path) as SettingValues<typeof pluginsSection.keys>
  const placeOf = (field: string) => (config.sources.get(field) === 'env' ? envName(field) : field)
  const added = await loadThirdPartyPlugins(packages, { configPath, place: placeOf('plugins.packages') })
  return { plugins: [...plugins, ...added], disabled, disabledPlace: placeOf('plugins.disabled') }
}

/** Throws PluginGraphError when the enabled plugins cannot run together. */
function arrangePlugins(ordered: OrderedPlugins<LoadedPlugin>, sections: readonly Section[]): OrderedPlugins<LoadedPlugin> {
  checkServices(ordered.enabled, ordered.disabled, [...kernelServices, ...sections.map((section) => section.settings)])
  return ordered
}

const disabledIn = ({ values }: LoadedConfig): readonly string[] =>
  (values.get(pluginsSection.path) as SettingValues<typeof pluginsSection.keys>).disabled

const dsnOf = ({ values }: LoadedConfig): string => (values.get(databaseSection.path) as SettingValues<typeof databaseSection.keys>).dsn

/** Ignores problems in sections of disabled and resting plugins. */
function withoutDisabled(config: LoadedConfig, all: readonly LoadedPlugin[]): LoadedConfig {
  const ids = disabledIn(config)
  const resting = findResting(all, ids)
  const disabled = all.filter(({ id }) => ids.includes(id) || resting.has(id))
  const off = new Set(contributionsTo(configSections, disabled).map(({ item }) => item.path))
  return { ...config, problems: config.problems.filter(({ field }) => !off.has(field.slice(0, field.lastIndexOf('.')))) }
}

const withExposure = (config: LoadedConfig): LoadedConfig => ({ ...config, problems: [...config.problems, ...findAdminExposure(config)] })

function withMisplaced(config: LoadedConfig, enabled: readonly LoadedPlugin[]): LoadedConfig {
  const directories = contributionsTo(ownedDirectories, enabled).map(({ item }) => item)
  return { ...config, problems: [...config.problems, ...findMisplacedDirectories(config, { dsn: dsnOf(config), directories })] }
}

/** Reports a choice of plugins that cannot start as a problem of `plugins.disabled`. */
function withMisfits(config: LoadedConfig, arrange: (disabledIds: readonly string[]) => unknown): LoadedConfig {
  try {
    arrange(disabledIn(config))
    return config
  } catch (error) {
    if (!(error instanceof PluginGraphError)) throw error
    const misfit = { field: 'plugins.disabled', message: `cannot be applied: ${error.problems.join('; ')}`, blocks: 'start' } as const
    return { ...config, problems: [...config.problems, misfit] }
  }
}

function secretValues(config: LoadedConfig, sections: readonly Section[]): readonly string[] {
  return sections.flatMap((section) =>
    Object.entries(section.keys).flatMap(([key, setting]) => {
      const value = config.raw.get(`${section.path}.${key}`)
      const texts = (Array.isArray(value) ? value : [value]).filter((text) => typeof text === 'string' && text !== '')
      return texts.flatMap((text) => setting.secretParts(text))
    }),
  )
}
