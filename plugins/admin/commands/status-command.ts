import { type AdminClient, type CommandCall, formatDuration, formatTable, openAdminClient } from '#kernel'
import { readSettings } from '../settings/settings-api.ts'
import { cacheStats, systemInfo, workers } from '../system/system-api.ts'
import { shareText, sizeText } from './size-text-policy.ts'

/** Exit code 1 when the service is unhealthy. */
export async function run(call: CommandCall): Promise<number> {
  const client = await openAdminClient(call)
  const health = await client.readHealth()
  if (health.status === 'ok') await showRunning(client, call)
  else if (health.status === 'setup') await showSetup(client, call)
  else {
    const errors = health.errors ?? []
    call.out.note(['Status: unhealthy', 'Errors:', ...errors.map((error) => `  ${error}`)].join('\n'))
    if (call.out.isJson) call.out.result({ health }, '')
    return 1
  }
  return 0
}

const title = (client: AdminClient): string => `svc at ${client.url}`

async function showRunning(client: AdminClient, { out }: CommandCall): Promise<void> {
  const [system, work, cache] = await Promise.all([client.call(systemInfo), client.call(workers), client.call(cacheStats)])
  const { used_bytes: used, max_bytes: max } = cache
  const text = [
    title(client),
    'Status: ok',
    `Version: ${system.version}`,
    `Commit: ${system.commit}`,
    `Built: ${system.build_date}`,
    `Uptime: ${formatDuration(system.uptime_seconds * 1000)}`,
    '',
    'Cache',
    formatTable(['used', 'limit', 'usage'], [[sizeText(used), sizeText(max), shareText(used, max)]]),
    '',
    'Workers',
    formatTable(
      ['name', 'status'],
      Object.entries(work.workers).map(([name, isHealthy]) => [name, isHealthy ? 'healthy' : 'unhealthy']),
    ),
  ]
  out.result({ health: { status: 'ok' }, system, workers: work.workers, cache }, text.join('\n'))
}

async function showSetup(client: AdminClient, { out }: CommandCall): Promise<void> {
  const settings = await client.call(readSettings)
  const problems = settings.validation_errors ?? []
  const yesNo = (isSo: boolean) => (isSo ? 'yes' : 'no')
  const text = [
    title(client),
    'Status: setup',
    `Mode: ${settings.mode}`,
    `Config: ${settings.config_path}`,
    `Writable: ${yesNo(settings.writable)}`,
    `Restart required: ${yesNo(settings.restart_required)}`,
  ]
  const table = formatTable(
    ['field', 'message'],
    problems.map(({ field, message }) => [field, message]),
  )
  const errors = problems.length === 0 ? [] : ['', 'Validation errors', table]
  out.result({ health: { status: 'setup' }, settings }, [...text, ...errors].join('\n'))
}
