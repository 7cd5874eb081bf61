/** For tests of the dashboard. */
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { DashboardFiles } from '../dashboard/dashboard-files.ts'
import { serveDashboard } from '../dashboard/dashboard-routes.ts'

/** Serves the build in the folder, with any change that a test makes to it. */
export const serveBuild = (app: FastifyInstance, folder: string): void =>
  serveDashboard(app, new DashboardFiles({ builtIn: folder, own: join(folder, 'none'), onRefusal() {} }))
