/**
 * `npm run build:ui`: builds the dashboard when its sources changed; `-- --out <folder>` builds it there instead, if the folder is new,
 * empty or an earlier build. SVC_CONFIG names a configuration with further plugins.
 */
import { parseArgs } from 'node:util'
import { openBuildPlace, version } from '../../kernel/system.ts'
import { ensureDashboard } from './build-dashboard.ts'
import { buildDashboardInto } from './build-out.ts'
import { uiFolder } from './build-paths.ts'
import { findUiSources } from './find-sources.ts'
import { resolveOutFolder } from './out-folder.ts'
import type { UiSource } from './plugin-uis.ts'

const startedAtMs = performance.now()
try {
  const { out } = parseArgs({ options: { out: { type: 'string' } } }).values
  const sources = await findUiSources()
  const { outcome, firstView } =
    out === undefined ? await ensureDashboard(sources) : { outcome: 'built', firstView: await replaceFolder(out, sources) }
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1)
  const size = firstView ? `: the first view is ${firstView.files} scripts, ${(firstView.bytes / 1024).toFixed(1)} KiB after brotli` : ''
  process.stdout.write(`dashboard ${outcome === 'built' ? `built in ${seconds} s` : 'up to date'}${size}\n`)
} catch (error) {
  process.stderr.write(`the dashboard cannot be built: ${(error as Error).message}\n`)
  process.exitCode = 1
}

async function replaceFolder(out: string, sources: readonly UiSource[]) {
  const svc = { version: version.version, commit: version.commit }
  // A refused name is reported before a lock is made beside it.
  using place = await openBuildPlace(resolveOutFolder(out))
  const { stage, firstView } = await buildDashboardInto(out, sources, { svc, home: uiFolder })
  place.publish(stage)
  return firstView
}
