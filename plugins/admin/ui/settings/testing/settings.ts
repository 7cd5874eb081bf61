/** Answers of `GET /settings` for unit tests. */
import type { SettingAbout, Settings } from '../draft-policy.ts'

export const aboutSetting = (about: Partial<SettingAbout> = {}): SettingAbout => ({
  label: 'Label',
  description: 'Description.',
  group: 'group',
  type: 'text',
  env: 'SVC_LABEL',
  source: 'default',
  editable: true,
  secret: false,
  required: false,
  restart: true,
  risk: 'none',
  ...about,
})

export const settingsWith = (metadata: Settings['metadata'], more: Partial<Settings> = {}): Settings => ({
  mode: 'ready',
  config_path: '/etc/svc/config.toml',
  writable: true,
  runtime_available: true,
  restart_required: false,
  restart: { supervised: false, started_at: '2026-01-01T00:00:00.000Z', stop_seconds: 10 },
  s3_users: { available: true },
  config: {},
  manual: {
    database: { driver: 'sqlite', dsn: 'configured', dsn_configured: true },
    admin: { addr_configured: false },
    chain_private_key: { configured: true, field: 'chain.private_key', env: 'SVC_CHAIN_PRIVATE_KEY' },
    config_doc: '',
  },
  secrets: { chain_private_key_configured: true },
  metadata,
  defaults: {},
  env_managed: {},
  ...more,
})
