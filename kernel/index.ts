/** The public interface of the kernel: what plugins, commands and tests may import. Schemas come from `schema.ts`. */
export { hashPassword, verifyPassword } from './auth/password.ts'
export { type SystemState, systemState } from './boot-report.ts'
export { type AdminClient, adminFlags, openAdminClient } from './cli/admin-client.ts'
export { type Command, type CommandCall, CommandError, cliCommands, defineCommand, type FlagSpec, type Output } from './cli/command.ts'
export { adviseInit, type CommandPlace, findPlace, readSettings } from './cli/command-settings.ts'
export { beforeSignalEnds, watchInterrupt } from './cli/interrupt.ts'
export { migrateDatabase } from './cli/migrate-database.ts'
export { createOutput } from './cli/output.ts'
export { canPrompt, type PromptStreams, promptSecret } from './cli/prompt.ts'
export { formatFacts, formatTable, onOneLine } from './cli/table.ts'
export { requireConfirmation, requireWhole, usageError } from './cli/usage.ts'
export { type Shown, showResult, watchFlag } from './cli/watch.ts'
export { type Clock, clock, formatPreciseTime, formatTime, systemClock } from './clock.ts'
export { type ConfigState, configState } from './config/config-state.ts'
export { formatDuration, parseDuration } from './config/duration.ts'
export { defaultDataDir, modeForOthers, readConfigFile, resolveConfigPath, saveConfigFile, writePrivateFile } from './config/file.ts'
export { type ConfigProblem, defaultOf, describeProblem, type LoadedConfig, type Source } from './config/load.ts'
export { configSections, defineSection, envName, type Section, type SettingValues, type TypedSection } from './config/section.ts'
export { choice, duration, type FileValue, flag, integer, list, type Setting, secret, text } from './config/setting.ts'
export { settingSchema, settingsSchema } from './config/setting-schema.ts'
export { matching, nonEmptyText, type TextRule } from './config/value-rule.ts'
export { type ContributedItem, type Contributions, contributions } from './contributions.ts'
export { type Database, database, dbSchemas, type Reader, type Row, type Schema, type SqlValue, type Tx } from './db/database.ts'
export { isNotWritten } from './db/database-error.ts'
export { defineMigration, type Migration } from './db/migration.ts'
export { type NoParams, type Params, type Statement, sqlStatement, statementsOver, type TablesOf } from './db/statement.ts'
export { defineErrors, type ErrorSpec, type FieldError, kernelErrors, SvcError, type SvcErrorOptions } from './errors.ts'
export { defineEvent, type EventKind, type Events, eventKinds, events, type PublishedEvent } from './events.ts'
export { type Contribution, defineExtensionPoint, type ExtensionPoint } from './extension-point.ts'
export { PluginGraphError } from './graph.ts'
export { type BodyOptions, parseBody, parseParams, parseQuery } from './http/body.ts'
export { type ConnectionShare, shareConnections } from './http/connection-share.ts'
export { type Contributed, documented, documentedSchema } from './http/documented.ts'
export { type CheckedTarget, checkEgress, type EgressOptions, type EgressRefusalReason } from './http/egress.ts'
export {
  defineEndpoint,
  type Endpoint,
  type EndpointAnswer,
  type EndpointCall,
  type EndpointRequest,
  serveEndpoint,
} from './http/endpoint.ts'
export { defineHealthCheck, type HealthCheck, healthChecks } from './http/health.ts'
export { requestIdentity } from './http/identity.ts'
export { type EndpointGroup, loadKernelEndpoints } from './http/kernel-endpoints.ts'
export { listenAddress } from './http/listen-address.ts'
export { defineListener, type Listener, listeners, type RunningListener } from './http/listeners.ts'
export { noRouteSchemas } from './http/no-route-schemas.ts'
export type { RouteAccess } from './http/route-access.ts'
export { adminRoutes, defineRoutes, type RouteGroup } from './http/routes.ts'
export { newToken, newUint256, newUlid } from './ids.ts'
export type { RunningKernel, StartOptions } from './kernel.ts'
export { limits } from './limits.ts'
export { type LoadedPlugin, loadContributions, loadPlugin } from './loaded-plugin.ts'
export { LockedError, lockFile } from './lock/file-lock.ts'
export { defineOwnedDirectory, type OwnedDirectory, ownedDirectories } from './lock/owned-directory.ts'
export { createLog, type Log, type LogFields, log, silentLog } from './log.ts'
export { type Distribution, defineMetric, Histogram, type MetricCollector, type MetricSample, metricCollectors } from './metrics.ts'
export type { Mode } from './mode.ts'
export { definePlugin, type Plugin } from './plugin.ts'
export { choosePlugins, type PreparedKernel, type PrepareRequest, prepareKernel } from './prepare.ts'
export { defineProbe, listProbes, type Probe } from './probe.ts'
export { defineService, optional, provide, type Resolved, type ServiceRef, type Uses } from './service.ts'
export {
  adminAuthSection,
  adminSection,
  databaseSection,
  kernelSections,
  loggingSection,
  pluginsSection,
  workerSection,
} from './settings.ts'
export { startKernel } from './start.ts'
export { suggest, typoDistance } from './suggest.ts'
export { LeaseLost } from './tasks/lease-lost.ts'
export { done, fail, type Outcome, wait } from './tasks/outcome.ts'
export { type EnqueueOptions, type TaskQueue, taskQueue } from './tasks/queue.ts'
export { runSecondsBuckets, type TaskRuns, taskRuns } from './tasks/run-counts.ts'
export {
  type DueTimes,
  defineLane,
  defineRecovery,
  defineTask,
  dueTimes,
  type TaskKind,
  type TaskLane,
  type TaskRun,
  type TaskSchedule,
  type TaskSubject,
  taskKinds,
  taskLanes,
  taskRecoveries,
  taskSchedules,
} from './tasks/task.ts'
export { type TaskChange, type TaskChanges, taskChanges } from './tasks/task-changes.ts'
export { type RetryRefusal, type TaskControl, taskControl } from './tasks/task-control.ts'
export type { TaskRecord, TaskStatus } from './tasks/task-record.ts'
export type { TaskTables } from './tasks/task-tables.ts'
export { type WorkerHealth, workerHealth } from './tasks/worker-health.ts'
export { version } from './version.ts'
export { contributionsTo } from './wiring.ts'
export { within } from './within.ts'
