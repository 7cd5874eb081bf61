/** Serves a built dashboard, for tests of the whole product. */
import { join } from 'node:path'
import { DashboardFiles } from '../dashboard/dashboard-files.ts'
import { serveDashboard } from '../dashboard/dashboard-routes.ts'

/** Serves the build in the folder, with any change that a test makes to it. */
export const serveBuild = (app: Parameters<typeof serveDashboard>[0], folder: string): void =>
  serveDashboard(app, new DashboardFiles({ builtIn: folder, own: () => join(folder, 'none'), onRefusal() {} }))
