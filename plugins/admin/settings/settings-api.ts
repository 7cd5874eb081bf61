/** Endpoints of the settings. Names are dotted paths such as `cache.max_size_gb`; values have the form of the configuration file. */

import { configSections, defineEndpoint, documented } from '#kernel'
import { type } from '#kernel/schema'
import { kernelSections } from '#kernel/system'
import { settingsSchema } from './settings-schema.ts'

const problem = type({ field: 'string', message: 'string' })

/** Metadata to show and validate one setting. */
const settingAbout = type({
  label: 'string',
  description: 'string',
  /** Table of the file. */
  group: 'string',
  type: "'text' | 'integer' | 'flag' | 'list' | 'duration'",
  'default?': 'unknown',
  'allowed?': 'string[]',
  'min?': 'number',
  'max?': 'number',
  env: 'string',
  /** Source of the value; `flag`: the command line. */
  source: "'default' | 'file' | 'env' | 'flag'",
  editable: 'boolean',
  secret: 'boolean',
  required: 'boolean',
  restart: 'true',
  risk: "'none' | 'review' | 'high'",
})

const settings = type({
  /** `setup`: the configuration has problems, listed in `validation_errors`. */
  mode: "'ready' | 'setup'",
  config_path: 'string',
  writable: 'boolean',
  /** False in setup mode. */
  runtime_available: 'boolean',
  restart_required: 'boolean',
  /** `supervised`: `POST /api/v1/restart` works. `started_at`: of the running process; another value proves a restart. */
  restart: { supervised: 'boolean', started_at: 'string', stop_seconds: 'number.integer' },
  /** What the restart changes; a secret shows neither value. */
  'pending?': type({ field: 'string', label: 'string', 'running?': 'unknown', 'next?': 'unknown' }).array(),
  /** Value of the running process. */
  'runtime_chain_default_copies?': 'number.integer',
  s3_users: { available: 'boolean', 'reason?': 'string' },
  /** Editable values by table, in effect after the next start. */
  config: 'Record<string, unknown>',
  /** Settings that only the file can change. */
  manual: {
    database: { driver: 'string', dsn: "'configured' | 'missing'", dsn_configured: 'boolean' },
    admin: { addr_configured: 'boolean' },
    chain_private_key: { configured: 'boolean', field: "'chain.private_key'", env: 'string' },
    /** Documentation of every setting. */
    config_doc: 'string',
  },
  secrets: { chain_private_key_configured: 'boolean' },
  metadata: type({ '[string]': settingAbout }),
  /** Defaults that depend on other settings: `chain_rpc_urls` by network. */
  defaults: 'Record<string, unknown>',
  /** Dotted path → the environment variable (or `--set`) that overrides the file. */
  env_managed: 'Record<string, string>',
  'validation_errors?': problem.array(),
})

/** Nested like the file, with changed values only. */
const changes = type('Record<string, unknown>').narrow(
  documented((contributed) => settingsSchema([...kernelSections, ...contributed(configSections)])),
)
const settingsBytesMax = 65_536

export const readSettings = defineEndpoint({
  method: 'GET',
  path: '/api/v1/settings',
  summary: 'Show the effective settings with their metadata',
  answer: settings,
})

export const saveSettings = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/settings',
  role: 'admin',
  summary: 'Change settings in the configuration file; they take effect at the next start',
  body: changes,
  bytesMax: settingsBytesMax,
  requireJsonType: true,
  audit: 'names',
  answer: settings,
  refusals: ['settings_invalid', 'config_unwritable'],
})

export const validateSettings = defineEndpoint({
  method: 'POST',
  path: '/api/v1/settings/validate',
  role: 'admin',
  summary: 'Validate changes of settings without saving them',
  body: changes,
  bytesMax: settingsBytesMax,
  requireJsonType: true,
  isLook: true,
  answer: type({ validation_errors: problem.array() }),
  refusals: ['settings_invalid'],
})

export type Settings = typeof settings.infer
export type SettingAbout = typeof settingAbout.infer
export type SettingProblem = typeof problem.infer
