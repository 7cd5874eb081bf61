/** Addresses of the settings. Names are dotted paths such as `cache.max_size_gb`; values stand as in the configuration file. */

import { defineEndpoint } from '#kernel'
import { type } from '#kernel/schema'

const problem = type({ field: 'string', message: 'string' })

/** Everything a page needs to show and check one setting. */
export const settingAbout = type({
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
  /** Where its value comes from; `flag`: from the command line. */
  source: "'default' | 'file' | 'env' | 'flag'",
  editable: 'boolean',
  secret: 'boolean',
  required: 'boolean',
  restart: 'true',
  risk: "'none' | 'review' | 'high'",
})

export const settings = type({
  /** `setup`: the configuration has problems, listed in `validation_errors`. */
  mode: "'ready' | 'setup'",
  config_path: 'string',
  writable: 'boolean',
  /** False in setup mode, where nothing but these settings runs. */
  runtime_available: 'boolean',
  restart_required: 'boolean',
  /** What the running process uses. */
  'runtime_chain_default_copies?': 'number.integer',
  s3_users: { available: 'boolean', 'reason?': 'string' },
  /** Editable values by table, as they are in effect after the next start. */
  config: 'Record<string, unknown>',
  /** What is changed in the file only. */
  manual: {
    database: { driver: 'string', dsn: "'configured' | 'missing'", dsn_configured: 'boolean' },
    admin: { addr_configured: 'boolean' },
    chain_private_key: { configured: 'boolean', field: "'chain.private_key'", env: 'string' },
    /** Where a person finds every setting with its meaning. */
    config_doc: 'string',
  },
  secrets: { chain_private_key_configured: 'boolean' },
  metadata: type({ '[string]': settingAbout }),
  /** What absent settings amount to where that depends on others: `chain_rpc_urls` by network. */
  defaults: 'Record<string, unknown>',
  /** Dotted path → the environment variable (or `--set`) that decides it. */
  env_managed: 'Record<string, string>',
  'validation_errors?': problem.array(),
})

/** Nested as the file is, only with what changes. */
const changes = type('Record<string, unknown>')
const settingsBytesMax = 65_536

export const readSettings = defineEndpoint({
  method: 'GET',
  path: '/api/v1/settings',
  summary: 'Settings as they are in effect, with all that is known about each',
  answer: settings,
})

export const saveSettings = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/settings',
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
  summary: 'Check changes of settings without saving them',
  body: changes,
  bytesMax: settingsBytesMax,
  requireJsonType: true,
  audit: 'names',
  answer: type({ validation_errors: problem.array() }),
  refusals: ['settings_invalid'],
})

export type Settings = typeof settings.infer
export type SettingAbout = typeof settingAbout.infer
export type SettingProblem = typeof problem.infer
