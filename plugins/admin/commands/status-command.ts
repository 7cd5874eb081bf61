import { type AdminCall, type AdminClient, formatShare, formatSize, formatTable, openAdminClient, type Shown, showResult } from '#cli'
import { formatDuration } from '#kernel/system'
import { overview } from '../overview/overview-api.ts'
import { readSettings } from '../settings/settings-api.ts'

/** Exit code 1 when the service is unhealthy. */
export async function run(call: AdminCall<unknown, { watch: boolean }>): Promise<number> {
  const client = await openAdminClient(call)
  if (call.flags.watch) {
    await showResult(call, () => readStatus(client))
    return 0
  }
  const { value, text, isHealthy } = await readStatus(client)
  if (isHealthy) call.out.result(value, text)
  else {
    call.out.note(text)
    if (call.out.isJson) call.out.result(value, '')
  }
  return isHealthy ? 0 : 1
}

interface Status extends Shown {
  readonly isHealthy: boolean
}

async function readStatus(client: AdminClient): Promise<Status> {
  const health = await client.readHealth()
  if (health.status === 'ok') return readRunning(client)
  if (health.status === 'setup') return readSetup(client)
  const errors = health.errors ?? []
  return { isHealthy: false, value: { health }, text: ['Status: unhealthy', 'Errors:', ...errors.map((error) => `  ${error}`)].join('\n') }
}

const title = (client: AdminClient): string => `svc at ${client.url}`

async function readRunning(client: AdminClient): Promise<Status> {
  const { system, workers, cache } = await client.call(overview)
  const { used_bytes: used, max_bytes: max } = cache
  const lines = (uptime: string) => [
    title(client),
    'Status: ok',
    `Version: ${system.version}`,
    `Commit: ${system.commit}`,
    `Built: ${system.build_date}`,
    `Uptime: ${uptime}`,
    '',
    'Cache',
    formatTable(['used', 'limit', 'usage'], [[formatSize(used), formatSize(max), formatShare(used, max)]]),
    '',
    'Workers',
    formatTable(
      ['name', 'status'],
      Object.entries(workers).map(([name, isHealthy]) => [name, isHealthy ? 'healthy' : 'unhealthy']),
    ),
  ]
  return {
    isHealthy: true,
    value: { health: { status: 'ok' }, system, workers, cache },
    text: lines(formatDuration(system.uptime_seconds * 1000)).join('\n'),
    mark: lines(system.started_at).join('\n'),
  }
}

async function readSetup(client: AdminClient): Promise<Status> {
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
  return { isHealthy: true, value: { health: { status: 'setup' }, settings }, text: [...text, ...errors].join('\n') }
}
