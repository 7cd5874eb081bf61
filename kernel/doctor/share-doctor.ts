import { resolve } from 'node:path'
import { databasePath, isPostgres } from '../config/database-path.ts'
import { secretFiles } from '../config/secret-files.ts'
import type { Services } from '../core/container.ts'
import type { ContributedItem } from '../core/contributions.ts'
import type { ExtensionPoint } from '../core/extension-point.ts'
import { contributionsTo } from '../core/wiring.ts'
import { database } from '../db/database.ts'
import { ownedDirectories } from '../lock/owned-directory.ts'
import type { PreparedKernel } from '../start/prepare.ts'
import { schemasOf } from '../start/schemas-of.ts'
import { doctorChecks, doctorFixes } from './check.ts'
import { type Bound, createDoctor } from './doctor.ts'
import { doctor, migrationState, type Places, places } from './service.ts'

/** Shares what the kernel's own checks read. */
export function shareDoctorFacts(services: Services, prepared: PreparedKernel): Places {
  const found = placesOf(prepared)
  services.share(places, found)
  services.share(migrationState, async (read) => {
    const { loadSchemas } = await import('../start/open-kernel-database.ts')
    const { readMigrationState } = await import('../db/migrations.ts')
    return readMigrationState(read, await loadSchemas(schemasOf(prepared)))
  })
  return found
}

/** Shares the doctor of a running gateway. Returns its end. */
export function shareDoctor(
  services: Services,
  prepared: PreparedKernel,
  bind: <C>(point: ExtensionPoint<C>) => readonly ContributedItem<C>[],
): () => Promise<void> {
  const { databasePath } = shareDoctorFacts(services, prepared)
  const toBound = <C>({ item, services: resolved }: ContributedItem<C>): Bound<C> => ({ item, services: () => resolved })
  const running = createDoctor({
    checks: () => bind(doctorChecks).map(toBound),
    fixes: () => bind(doctorFixes).map(toBound),
    databasePath,
    read: services.scope().get(database).read,
    isOnline: true,
  })
  services.share(doctor, running)
  return async () => running[Symbol.dispose]()
}

const placesOf = ({ config, dsn, enabled, settings }: PreparedKernel): Places => ({
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
})
