import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import {
  assignAt,
  type ConfigState,
  defaultOf,
  envName,
  formatPreciseTime,
  type LoadedConfig,
  limits,
  type Setting,
  type SystemState,
} from '#kernel/system'
import { listPending } from './pending-settings.ts'
import type { SettingAbout, Settings } from './settings-api.ts'

interface SettingsSituation {
  readonly state: Pick<ConfigState, 'sections' | 'loaded'>
  /** The configuration of the next start. */
  readonly now: LoadedConfig
  readonly system: Pick<SystemState, 'mode' | 'plugins' | 'startedAtMs'>
  readonly isSupervised: boolean
  readonly isSaved: boolean
  readonly defaults: Settings['defaults']
  /** Defaults that follow from other settings, by dotted path. */
  readonly dependent: ReadonlyMap<string, string>
}

/** Never holds the value of a secret (I-10). */
export function describeSettings({ state, now, system, isSupervised, isSaved, defaults, dependent }: SettingsSituation): Settings {
  const { sections, loaded } = state
  const problems = now.problems.map(({ field, message }) => ({ field, message }))
  const copies = loaded.raw.get('chain.default_copies')
  const isFull = system.mode === 'full'
  // The file may also be edited by hand.
  const pending = listPending(loaded, now, sections)
  const needsRestart = isSaved || pending.length > 0
  return {
    mode: problems.length === 0 ? 'ready' : 'setup',
    config_path: now.path,
    writable: isWritable(now.path),
    runtime_available: isFull,
    restart_required: needsRestart,
    restart: { supervised: isSupervised, started_at: formatPreciseTime(system.startedAtMs), stop_seconds: limits.stopMs / 1000 },
    ...(needsRestart && { pending: [...pending] }),
    ...(isFull && typeof copies === 'number' ? { runtime_chain_default_copies: copies } : {}),
    s3_users: explainS3Users(system),
    config: nestEditable(state, now, dependent),
    manual: describeManual(now),
    secrets: { chain_private_key_configured: isConfigured(now, privateKey) },
    metadata: Object.fromEntries(
      sections.flatMap((section) =>
        Object.entries(section.keys).map(([key, setting]) => {
          const field = `${section.path}.${key}`
          return [field, describeSetting(field, setting, now, dependent.get(field))]
        }),
      ),
    ),
    defaults,
    env_managed: managedFields(now),
    ...(problems.length === 0 ? {} : { validation_errors: problems }),
  }
}

/** Settings that the environment or `--set` overrides: dotted path → variable or flag. */
export function managedFields({ sources }: Pick<LoadedConfig, 'sources'>): Record<string, string> {
  return Object.fromEntries(
    [...sources].flatMap(([field, source]) => {
      if (source === 'env') return [[field, envName(field)]]
      return source === 'flag' ? [[field, '--set']] : []
    }),
  )
}

const privateKey = 'chain.private_key'

const isConfigured = ({ raw }: LoadedConfig, field: string): boolean => (raw.get(field) ?? '') !== ''

function describeManual(config: LoadedConfig): Settings['manual'] {
  const hasDsn = isConfigured(config, 'database.dsn')
  return {
    database: { driver: String(config.raw.get('database.driver') ?? ''), dsn: hasDsn ? 'configured' : 'missing', dsn_configured: hasDsn },
    admin: { addr_configured: config.sources.get('admin.addr') !== 'default' },
    chain_private_key: { configured: isConfigured(config, privateKey), field: privateKey, env: envName(privateKey) },
    config_doc: `${config.path} has every setting with its meaning`,
  }
}

function explainS3Users({ mode, plugins }: SettingsSituation['system']): Settings['s3_users'] {
  if (mode === 'setup') return { available: false, reason: 'the service is in setup mode' }
  if (plugins.some(({ id, enabled }) => id === 's3' && enabled)) return { available: true }
  return { available: false, reason: 'the plugin s3 is disabled' }
}

function nestEditable(
  { sections }: SettingsSituation['state'],
  { raw }: LoadedConfig,
  dependent: SettingsSituation['dependent'],
): Record<string, unknown> {
  const config: Record<string, unknown> = {}
  for (const { path, keys } of sections) {
    for (const [key, { editable, secret }] of Object.entries(keys)) {
      const field = `${path}.${key}`
      const value = raw.get(field) ?? dependent.get(field)
      if (editable && !secret && value !== undefined) assignAt(config, field, value)
    }
  }
  return config
}

function describeSetting(
  field: string,
  setting: Setting<unknown>,
  { dataDir, sources }: LoadedConfig,
  dependent: string | undefined,
): SettingAbout {
  const { label, doc, form, editable, secret, required, risk } = setting
  const fallback = secret ? undefined : (dependent ?? defaultOf(setting, dataDir))
  return {
    label,
    description: doc,
    group: field.slice(0, field.lastIndexOf('.')),
    type: form,
    ...(fallback === undefined ? {} : { default: fallback }),
    ...readBounds(setting),
    env: envName(field),
    source: sources.get(field) ?? 'default',
    editable,
    secret,
    required,
    restart: true,
    risk,
  }
}

function readBounds({ rule: { allowed, min, max } }: Setting<unknown>): Pick<SettingAbout, 'allowed' | 'min' | 'max'> {
  return { ...(allowed && { allowed: [...allowed] }), ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }
}

function isWritable(path: string): boolean {
  const target = existsSync(path) ? path : dirname(path)
  try {
    // A save replaces the file, so its directory must be writable too.
    accessSync(dirname(target), constants.W_OK)
    accessSync(target, constants.W_OK)
    return true
  } catch {
    // A failed save reports the reason.
    return false
  }
}
