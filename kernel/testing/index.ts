/** Test support for plugins: import it as `#kernel/testing`. */

export type { NamedMigrations } from '../db/open-request.ts'
export { type LogFields, silentLog } from '../log/log.ts'
export { Histogram } from '../metrics/metrics.ts'
export { listProbes } from '../process/probe.ts'
export { LeaseLost } from '../tasks/engine/lease-lost.ts'
export { taskMigrations } from '../tasks/rows/task-migrations.ts'
export type { TaskKind } from '../tasks/task.ts'
export { insertTaskRow } from '../tasks/testing/task-rows.ts'
export {
  bind,
  openTasks,
  type RunningEngine,
  readTask,
  type Script,
  scriptedKind,
  settings as workerSettings,
  startEngine,
  type TestTasks,
  wrongCounters,
} from '../tasks/testing/test-engine.ts'
export { cheapPasswordHash, startTestListener, type TestListener, testAuthorization, testOperator } from './admin-listener.ts'
export { anyCharacter } from './any-character.ts'
export { watchActivity } from './database-activity.ts'
export { createFakeClock, type FakeClock } from './fake-clock.ts'
export { basicAuth, sendRaw } from './http.ts'
export { describeOnEngines } from './on-engines.ts'
export { hasPostgres, newPostgresDatabase } from './postgres.ts'
export { startPostgresProxy } from './postgres-proxy.ts'
export { watchProbes } from './probes.ts'
export { promised } from './promised.ts'
export { allRows, getRow, insertRow, runSql } from './sql.ts'
export { checkTaskKind } from './task-conformance.ts'
export { openTestDatabase, runsOnSqlite, type TestDatabase } from './test-database.ts'
export { type TestKernel, type TestKernelOptions, testKernel } from './test-kernel.ts'
export { queryPlan, readerOf, watchStatements } from './watch-statements.ts'
