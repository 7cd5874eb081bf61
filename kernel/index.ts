/**
 * @recipe a name of a door
 * `#kernel` is for plugins, `#kernel/system` for plugins that show or configure the whole system, `#kernel/host` for programs that run a
 * kernel, `#kernel/testing` and `#cli/testing` for tests, `#cli` for the code of commands. Authors elsewhere write `svc/kernel` and so on,
 * `svc/plugins/storage` for the contract of a plugin, and in tests `svc/plugins` for the built-in plugins.
 */
/** The door for plugin authors: all that a plugin needs to declare itself and to do its work. Schemas come from `schema.ts`. */

export { defineRouteGuard, routeGuards } from './admin-listener/route-guard.ts'
export { BoundedMap } from './bounded-map.ts'
export { type CommandCall, CommandError, cliCommands, defineCommand, type FlagSpec, type Output } from './command.ts'
export { formatDuration } from './config/duration.ts'
export { listenAddress, readListenAddress, urlOf } from './config/listen-address.ts'
export { dataFolder, readFile } from './config/path-rule.ts'
export { defineSecretFile, secretFiles } from './config/secret-files.ts'
export { configSections, defineSection, type SettingValues } from './config/section.ts'
export { choice, duration, type FileValue, flag, integer, list, secret, text } from './config/setting.ts'
export { matching, nonEmptyText } from './config/value-rule.ts'
export { type Clock, clock, formatPreciseTime, formatTime, systemClock } from './core/clock.ts'
export { defineExtensionPoint, type ExtensionPoint } from './core/extension-point.ts'
export { definePlugin, type Plugin } from './core/plugin.ts'
export { defineService, optional, provide, type ServiceRef } from './core/service.ts'
export { unlessAborted, untilAborted, within } from './core/within.ts'
export { dashboardUis } from './dashboard-ui.ts'
export { type Database, type DatabaseMemory, database, dbSchemas, type Reader, type Tx } from './db/database.ts'
export { isNotWritten } from './db/database-error.ts'
export { defineMigration, type Migration, onlyOnSqlite } from './db/migration.ts'
export { type Params, sqlStatement, statementsOver, type TablesOf } from './db/statement.ts'
export { createTable, createTrigger, rebuildTable } from './db/table-sql.ts'
export { defineErrors, type FieldError, kernelErrors, SvcError, type SvcErrorOptions } from './errors.ts'
export { defineEvent, type Events, eventKinds, events, type PublishedEvent } from './events/events.ts'
export { defineHealthCheck, healthChecks } from './health/health.ts'
export { parseBody, parseQuery } from './http/body.ts'
export type { Client } from './http/connections/client-pool.ts'
export type { Connection, RequestHandler } from './http/connections/connection.ts'
export { Connections } from './http/connections/connections.ts'
export { freePiece } from './http/connections/free-piece.ts'
export { hasOtherCoding } from './http/connections/request-end.ts'
export { documented } from './http/documented.ts'
export { defineEndpoint, serveEndpoint } from './http/endpoint.ts'
export { defineListener, listeners, type RunningListener } from './http/listeners.ts'
export { normalizeIp } from './http/normalize-ip.ts'
export { plainText } from './http/plain-text.ts'
export { readTime } from './http/read-time.ts'
export { adminRoutes, defineRoutes } from './http/routes.ts'
export { newToken, newUlid } from './ids.ts'
export { defineOwnedDirectory, ownedDirectories } from './lock/owned-directory.ts'
export { type Log, log } from './log/log.ts'
export { defineMetric, metricCollectors } from './metrics/metrics.ts'
export type { LimitTexts } from './process/limits.ts'
export { defineProbe, type Probe } from './process/probe.ts'
export { takeRandom } from './process/random-pool.ts'
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
export { type TaskChanges, taskChanges } from './tasks/task-changes.ts'
