import { readListenAddress } from '../config/listen-address.ts'
import { type ConfigProblem, type LoadedConfig, locateAcross, type Source } from '../config/load.ts'
import { isLoopbackHost } from '../config/loopback.ts'
import type { SettingValues } from '../config/section.ts'
import { adminAuthSection, adminSection } from './admin-settings.ts'

/** Only programs on this machine may reach the Admin API without authentication. The rule crosses two sections, so neither checks it. */
export function findAdminExposure({ values, sources }: Pick<LoadedConfig, 'values' | 'sources'>): readonly ConfigProblem[] {
  const { enabled } = values.get(adminAuthSection.path) as SettingValues<typeof adminAuthSection.keys>
  const { addr } = values.get(adminSection.path) as SettingValues<typeof adminSection.keys>
  if (enabled || isLoopbackHost(readListenAddress(addr).host)) return []
  const message = `must be a loopback address such as 127.0.0.1:9090 while admin.auth.enabled is false, got ${addr}`
  const read = ['admin.addr', 'admin.auth.enabled'].map((field): [string, Source] => [field, sources.get(field) ?? 'default'])
  return [locateAcross({ field: 'admin.addr', message, blocks: 'start' }, new Map(read))]
}
