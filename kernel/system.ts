/** The door for plugins that show or configure the whole system: settings, contributions of all plugins, endpoints, tasks, health. */

export { requestIdentity } from './admin-listener/identity.ts'
export { type EndpointGroup, loadKernelEndpoints } from './admin-listener/kernel-endpoints.ts'
export { defineRouteGuard, routeGuards } from './admin-listener/route-guard.ts'
export { type AdminAuth, adminAuth } from './auth/admin-auth.ts'
export type { AuditLine } from './auth/audit.ts'
export { type BackupFile, type BackupFiles, backupFiles } from './backup/backup-files.ts'
export { type ConfigState, configState } from './config/config-state.ts'
export { assignAt, valueAt } from './config/dotted-path.ts'
export { formatDuration } from './config/duration.ts'
export { saveConfigFile, writePrivateFile } from './config/file.ts'
export { defaultOf, type LoadedConfig } from './config/load.ts'
export { isLoopbackHost } from './config/loopback.ts'
export { defineSecretFile, secretFiles } from './config/secret-files.ts'
export { envName, type Section, settingDefaults } from './config/section.ts'
export type { FileValue, Setting } from './config/setting.ts'
export { settingSchema } from './config/setting-schema.ts'
export { readSettingText } from './config/setting-text.ts'
export { type SystemState, systemState } from './core/boot-report.ts'
export { formatPreciseTime } from './core/clock.ts'
export { type ContributedItem, type Contributions, contributions } from './core/contributions.ts'
export type { ExtensionPoint } from './core/extension-point.ts'
export { restart } from './core/restart.ts'
export type { Resolved, Uses } from './core/service.ts'
export { chooseDashboard, openBuildPlace, ownDashboardFolder } from './dashboard/choose-dashboard.ts'
export {
  type DoctorCheck,
  type DoctorFix,
  defineDoctorCheck,
  defineDoctorFix,
  doctorChecks,
  doctorFixes,
  type Finding,
  type Look,
  type LookPage,
  rowIdTarget,
} from './doctor/check.ts'
export { checkOfRules, type RowRule, type RuleRow } from './doctor/row-rules.ts'
export { type CheckInfo, type Doctor, doctor } from './doctor/service.ts'
export { type FieldError, kernelErrors, type SvcErrorOptions } from './errors.ts'
export type { PublishedEvent } from './events/events.ts'
export { type Contributed, documentedSchema } from './http/documented.ts'
export type { Endpoint, EndpointAnswer, EndpointRequest } from './http/endpoint.ts'
export { normalizeIp } from './http/normalize-ip.ts'
export { plainText } from './http/plain-text.ts'
export { highestRole, type Role } from './http/role-policy.ts'
export type { RouteAccess } from './http/route-access.ts'
export { LockedError, lockFile } from './lock/file-lock.ts'
export { defineOwnedDirectory, ownedDirectories } from './lock/owned-directory.ts'
export type { Distribution, MetricCollector, MetricSample, MetricSeries } from './metrics/metrics.ts'
export { defineMemoryPart, Histogram, type MemoryUse, memoryParts } from './metrics/metrics.ts'
export { limits } from './process/limits.ts'
export { version } from './process/version.ts'
export { kernelSections } from './start/kernel-sections.ts'
export type { TaskTables } from './tasks/rows/task-tables.ts'
export { runSecondsBuckets, taskRuns } from './tasks/run-counts.ts'
export type { TaskSubject } from './tasks/task.ts'
export { type TaskChange, type TaskChanges, taskChanges } from './tasks/task-changes.ts'
export { type KindFacts, type RetryRefusal, type TaskControl, taskControl } from './tasks/task-control.ts'
export type { TaskRecord, TaskStatus } from './tasks/task-record.ts'
export { type WorkerHealth, workerHealth } from './tasks/worker-health.ts'
export { workerSection } from './tasks/worker-settings.ts'
