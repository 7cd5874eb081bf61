/** The door for plugins that show or configure the whole system: settings, contributions of all plugins, endpoints, tasks, health. */

export { requestIdentity } from './admin-listener/identity.ts'
export { type EndpointGroup, loadKernelEndpoints } from './admin-listener/kernel-endpoints.ts'
export { type ConfigState, configState } from './config/config-state.ts'
export { assignAt, valueAt } from './config/dotted-path.ts'
export { saveConfigFile, writePrivateFile } from './config/file.ts'
export { defaultOf, type LoadedConfig } from './config/load.ts'
export { envName, type Section } from './config/section.ts'
export type { Setting } from './config/setting.ts'
export { settingSchema, settingsSchema } from './config/setting-schema.ts'
export { readSettingText } from './config/setting-text.ts'
export { type SystemState, systemState } from './core/boot-report.ts'
export { type ContributedItem, type Contributions, contributions } from './core/contributions.ts'
export type { Resolved, Uses } from './core/service.ts'
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
export { type Contributed, documentedSchema } from './http/documented.ts'
export type { Endpoint, EndpointAnswer, EndpointRequest } from './http/endpoint.ts'
export type { RouteAccess } from './http/route-access.ts'
export { LockedError, lockFile } from './lock/file-lock.ts'
export type { Distribution, MetricCollector, MetricSample } from './metrics/metrics.ts'
export { limits } from './process/limits.ts'
export { version } from './process/version.ts'
export { kernelSections } from './start/kernel-sections.ts'
export type { TaskTables } from './tasks/rows/task-tables.ts'
export { runSecondsBuckets, taskRuns } from './tasks/run-counts.ts'
export type { TaskSubject } from './tasks/task.ts'
export type { TaskChange } from './tasks/task-changes.ts'
export { type KindFacts, type RetryRefusal, type TaskControl, taskControl } from './tasks/task-control.ts'
export type { TaskRecord, TaskStatus } from './tasks/task-record.ts'
export { type WorkerHealth, workerHealth } from './tasks/worker-health.ts'
export { workerSection } from './tasks/worker-settings.ts'
