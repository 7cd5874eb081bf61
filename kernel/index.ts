/**
 * @recipe a name of a door
 * `#kernel` is for plugins, `#kernel/server` for plugins that run a server of their own, `#kernel/system` for plugins that show or configure
 * the whole system, `#kernel/host` for programs that run a kernel, `#kernel/testing` and `#cli/testing` for tests, `#cli` for the code of
 * commands. Authors elsewhere write `svc/kernel` and so on, `svc/plugins/storage` for the contract of a plugin, `svc/ui-kit` for the kit of pages
 * (built-in pages: `@svc/ui-kit`), and in tests `svc/plugins` for the built-in plugins.
 */
/** The door for plugin authors: all that a plugin needs to declare itself and to do its work. Schemas come from `schema.ts`. */

export { BoundedMap } from './bounded-map.ts'
export { type CommandCall, CommandError, cliCommands, defineCommand, type FlagSpec, type Output } from './command.ts'
export { configSections, defineSection, type SettingValues } from './config/section.ts'
export { setting } from './config/setting.ts'
export { textRules } from './config/text-rules.ts'
export { type Clock, clock, formatTime, systemClock } from './core/clock.ts'
export { defineExtensionPoint } from './core/extension-point.ts'
export { definePlugin, type Plugin } from './core/plugin.ts'
export { defineService, optional, provide } from './core/service.ts'
export { unlessAborted, untilAborted, within } from './core/within.ts'
export { dashboardUis } from './dashboard-ui.ts'
export { type Database, database, dbSchemas, type Reader, type Tx } from './db/database.ts'
export { isNotWritten } from './db/database-error.ts'
export { defineMigration, onlyOnSqlite } from './db/migration.ts'
export { type Params, sqlStatement, statementsOver, type TablesOf } from './db/statement.ts'
export { createTable, createTrigger, rebuildTable } from './db/table-sql.ts'
export { defineErrors, SvcError } from './errors.ts'
export { defineEvent, type Events, eventKinds, events } from './events/events.ts'
export { defineHealthCheck, healthChecks } from './health/health.ts'
export { documented } from './http/documented.ts'
export { defineEndpoint, serveEndpoint } from './http/endpoint.ts'
export { adminRoutes, defineRoutes } from './http/routes.ts'
export { newUlid } from './ids.ts'
export { type Log, log } from './log/log.ts'
export { defineMetric, metricCollectors } from './metrics/metrics.ts'
export { defineProbe, type Probe } from './process/probe.ts'
export { singleFlight } from './process/single-flight.ts'
export { startThread } from './process/start-thread.ts'
export { done, fail, type Outcome, wait } from './tasks/outcome.ts'
export { type TaskQueue, taskQueue } from './tasks/queue.ts'
export {
  type DueTimes,
  defineLane,
  defineRecovery,
  defineTask,
  dueTimes,
  type TaskRun,
  type TaskSchedule,
  taskKinds,
  taskLanes,
  taskRecoveries,
  taskSchedules,
} from './tasks/task.ts'
