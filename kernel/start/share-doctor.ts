import { resolve } from 'node:path'
import { databasePath, isPostgres } from '../config/database-path.ts'
import { secretFiles } from '../config/secret-files.ts'
import type { ExtensionPoint } from '../core/extension-point.ts'
import type { RunningPlugins } from '../core/running-plugins.ts'
import { contributionsTo } from '../core/wiring.ts'
import { ownDashboardFolder } from '../dashboard/choose-dashboard.ts'
import { dashboardUis } from '../dashboard-ui.ts'
import { database } from '../db/database.ts'
import { doctorChecks, doctorFixes } from '../doctor/check.ts'
import { type Bound, createDoctor } from '../doctor/doctor.ts'
import { doctor, migrationState, type Places, places } from '../doctor/service.ts'
import { ownedDirectories } from '../lock/owned-directory.ts'
import { migrationStateOf } from './open-kernel-database.ts'
import type { PreparedKernel } from './prepare.ts'

/** Shares what the kernel's own checks read. */
export function shareDoctorFacts(plugins: RunningPlugins, prepared: PreparedKernel): Places {
  const found = placesOf(prepared)
  plugins.share(places, found)
  plugins.share(migrationState, (read) => migrationStateOf(prepared, read))
  return found
}

/** Shares the doctor of a running gateway. Returns its end. */
export function shareDoctor(plugins: RunningPlugins, prepared: PreparedKernel): () => Promise<void> {
  const { databasePath } = shareDoctorFacts(plugins, prepared)
  const bound = <C>(point: ExtensionPoint<C>): readonly Bound<C>[] =>
    plugins.bind(point).map(({ item, services }) => ({ item, services: () => services }))
  const running = createDoctor({
    checks: () => bound(doctorChecks),
    fixes: () => bound(doctorFixes),
    databasePath,
    read: plugins.get(database).read,
    isOnline: true,
  })
  plugins.share(doctor, running)
  return async () => running[Symbol.dispose]()
}

const placesOf = ({ config, dsn, enabled, disabled, settings }: PreparedKernel): Places => ({
  configPath: config.path,
  databasePath: isPostgres(dsn) ? undefined : resolve(databasePath(dsn)),
  secretFiles: contributionsTo(secretFiles, enabled).flatMap(({ item }) => {
    const path = item.path(settings)
    return path ? [resolve(path)] : []
  }),
  directories: contributionsTo(ownedDirectories, enabled).map(({ item: { label, folders, path } }) => ({
    label,
    folders,
    path: resolve(path(settings)),
  })),
  dashboard: {
    folder: ownDashboardFolder(config.dataDir),
    enabled: [...new Set(contributionsTo(dashboardUis, enabled).map(({ plugin }) => plugin.id))],
    known: [...enabled, ...disabled].map(({ id }) => id),
  },
})
