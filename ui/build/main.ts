/** `npm run build:ui`: builds the dashboard when its sources changed. SVC_CONFIG names a configuration with further plugins. */
import { ensureDashboard } from './build-dashboard.ts'
import { findUiSources } from './find-sources.ts'

const startedAtMs = performance.now()
try {
  const { outcome, firstView } = await ensureDashboard(await findUiSources())
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1)
  const size = firstView ? `: the first view is ${firstView.files} scripts, ${(firstView.bytes / 1024).toFixed(1)} KiB after brotli` : ''
  process.stdout.write(`dashboard ${outcome === 'built' ? `built in ${seconds} s` : 'up to date'}${size}\n`)
} catch (error) {
  process.stderr.write(`the dashboard cannot be built: ${(error as Error).message}\n`)
  process.exitCode = 1
}
