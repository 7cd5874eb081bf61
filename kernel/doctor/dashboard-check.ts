import { setTimeout as delay } from 'node:timers/promises'
import { isReplacementCut } from '../dashboard/build-place.ts'
import { examineDashboard, pluginsOfDashboard } from '../dashboard/choose-dashboard.ts'
import { defineDoctorCheck, type Finding } from './check.ts'
import { type Places, places } from './service.ts'

/** A build replaces the folder by two renames. */
const againMs = 200

export const dashboardCheck = defineDoctorCheck({
  name: 'kernel.dashboard',
  title: 'The dashboard of `svc plugins build`: absent, or whole, of this svc and of the enabled plugins',
  proves: [],
  cost: 'quick',
  uses: { places },
  async look({ places: { dashboard } }, { signal }) {
    if (findProblems(dashboard).length > 0) await delay(againMs, undefined, { signal })
    const findings = findProblems(dashboard).map(
      (message): Finding => ({
        severity: 'warning',
        subject: { kind: 'dashboard', id: dashboard.folder },
        message,
        repair: 'Run svc plugins build',
      }),
    )
    return { findings, compared: 1 }
  },
})

function findProblems({ folder, enabled, known }: Places['dashboard']): readonly string[] {
  const { isPresent, fault } = examineDashboard(folder)
  if (!isPresent) return isReplacementCut(folder) ? ['a build ended while it replaced it; the built-in dashboard is served'] : []
  if (fault !== undefined) return [`it is not served, and the built-in dashboard is: ${fault}`]
  const built = readPlugins(folder)
  if (built === undefined) return ['its list of plugins cannot be read']
  const missing = enabled.filter((id) => !built.includes(id))
  const removed = built.filter((id) => !known.includes(id))
  return [
    ...(missing.length === 0 ? [] : [`it has no pages of ${name(missing)}, which the configuration enables`]),
    ...(removed.length === 0 ? [] : [`it has pages of ${name(removed)}, which the configuration does not name`]),
  ]
}

const name = (ids: readonly string[]): string => `${ids.length === 1 ? 'the plugin' : 'the plugins'} ${ids.join(', ')}`

function readPlugins(folder: string): readonly string[] | undefined {
  try {
    return pluginsOfDashboard(folder)
  } catch {
    return undefined
  }
}
