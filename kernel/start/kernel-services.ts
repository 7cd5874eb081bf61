/** The services that the kernel itself gives to plugins. */
import { adminAuth } from '../auth/admin-auth.ts'
import { type ConfigState, configState } from '../config/config-state.ts'
import type { Section, SettingsReader } from '../config/section.ts'
import { systemState } from '../core/boot-report.ts'
import { type Clock, clock } from '../core/clock.ts'
import { contributions } from '../core/contributions.ts'
import { restart } from '../core/restart.ts'
import type { RunningPlugins } from '../core/running-plugins.ts'
import { type Database, database } from '../db/database.ts'
import { doctor, migrationState, places } from '../doctor/service.ts'
import { createEvents, events } from '../events/events.ts'
import { type Log, log } from '../log/log.ts'
import type { TaskEngine } from '../tasks/engine/engine.ts'
import { taskQueue } from '../tasks/queue.ts'
import { taskRuns } from '../tasks/run-counts.ts'
import { taskChanges } from '../tasks/task-changes.ts'
import { taskControl } from '../tasks/task-control.ts'
import { workerHealth } from '../tasks/worker-health.ts'
import { workerSection } from '../tasks/worker-settings.ts'

export const kernelServices = [
  ...[clock, log, events, contributions, configState, systemState, adminAuth, restart],
  ...[database, taskQueue, taskControl, taskChanges, taskRuns, workerHealth],
  ...[doctor, places, migrationState],
]

interface Basis {
  readonly prepared: { readonly configState: ConfigState; readonly sections: readonly Section[]; readonly settings: SettingsReader }
  readonly clock: Clock
  readonly log: Log
}

/** The services of every mode. */
export function shareBasis(plugins: RunningPlugins, basis: Basis): void {
  const { prepared } = basis
  plugins.share(clock, basis.clock)
  plugins.share(log, basis.log)
  plugins.share(
    events,
    createEvents((error) => basis.log.error('an event listener failed', { error })),
  )
  plugins.share(contributions, { to: (point) => plugins.bind(point) })
  plugins.share(configState, prepared.configState)
  for (const section of prepared.sections) plugins.share(section.settings, prepared.settings(section))
}

/** The database and the engine of its tasks, which is not started. */
export async function shareData(plugins: RunningPlugins, opened: Database, basis: Basis): Promise<TaskEngine> {
  plugins.share(database, opened)
  const { createTaskEngine } = await import('../tasks/engine/create-engine.ts')
  const { clock, log, prepared } = basis
  const engine = createTaskEngine({ database: opened, clock, log: log.child('tasks'), settings: prepared.settings(workerSection) })
  plugins.share(taskQueue, engine.queue)
  plugins.share(taskControl, engine.control)
  plugins.share(taskChanges, engine.changes)
  plugins.share(taskRuns, engine.runs)
  plugins.share(workerHealth, engine)
  return engine
}
