import { configurationCheck } from './configuration-check.ts'
import { dashboardCheck } from './dashboard-check.ts'
import { databaseCheck, databaseServerCheck, migrationCheck } from './database-checks.ts'
import { directoriesCheck, permissionsCheck } from './place-checks.ts'
import { taskCountsCheck } from './task-counts-check.ts'

export const kernelChecks = [
  configurationCheck,
  permissionsCheck,
  directoriesCheck,
  dashboardCheck,
  databaseCheck,
  databaseServerCheck,
  migrationCheck,
  taskCountsCheck,
]
