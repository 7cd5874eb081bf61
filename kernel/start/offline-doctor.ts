/** The doctor without a running gateway: no listener, no task, and only the services that the checks need. */
import { existsSync } from 'node:fs'
import { systemClock } from '../core/clock.ts'
import type { ExtensionPoint } from '../core/extension-point.ts'
import { loadPlugin } from '../core/loaded-plugin.ts'
import { RunningPlugins } from '../core/running-plugins.ts'
import type { Uses } from '../core/service.ts'
import type { Database } from '../db/database.ts'
import { ReadingThread } from '../db/reading-thread.ts'
import { doctorChecks, doctorFixes } from '../doctor/check.ts'
import { type Bound, createDoctor } from '../doctor/doctor.ts'
import { type Doctor, migrationState } from '../doctor/service.ts'
import { lockExistingData } from '../lock/data-lock.ts'
import type { Log } from '../log/log.ts'
import { kernelContributions } from './kernel-contributions.ts'
import { shareBasis, shareData } from './kernel-services.ts'
import type { PreparedKernel } from './prepare.ts'
import { shareDoctorFacts } from './share-doctor.ts'

export interface OfflineOptions {
  /** Opens the database for writing and creates all services, as a start would. Default: read-only. */
  readonly isFixing?: boolean
  readonly log: Log
}

/**
 * Locks the data (I-26) and opens it. Throws an error that names the holder when a gateway uses it, and when there is no database.
 */
export async function openOfflineDoctor(
  prepared: PreparedKernel,
  { isFixing = false, log }: OfflineOptions,
): Promise<Doctor & AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  const own = await loadPlugin(kernelContributions)
  const plugins = new RunningPlugins([own, ...prepared.enabled])
  const { databasePath } = shareDoctorFacts(plugins, prepared)
  if (databasePath !== undefined && !existsSync(databasePath)) {
    throw new Error(`there is no database ${databasePath}; svc serve or svc migrate creates it`)
  }
  opened.use(await lockExistingData(prepared))
  const database = opened.use(await open(prepared, databasePath, isFixing))
  const basis = { prepared, clock: systemClock, log }
  shareBasis(plugins, basis)
  // The engine is never started: tasks that a fix enqueues run in the gateway.
  await shareData(plugins, database, basis)
  opened.use(plugins)
  if (isFixing) await plugins.createAll()
  const usable = requireCurrentTables(plugins, database)
  const bound = <C extends { readonly uses: Uses }>(point: ExtensionPoint<C>): readonly Bound<C>[] =>
    plugins.contributed(point).map(({ plugin, item }) => ({
      item,
      async services() {
        if (plugin !== own) await usable()
        return plugins.resolveOnDemand(plugin, item.uses)
      },
    }))
  const running = opened.use(
    createDoctor({
      checks: () => bound(doctorChecks),
      fixes: () => bound(doctorFixes),
      databasePath,
      read: database.read,
      isOnline: false,
    }),
  )
  const disposal = opened.move()
  return { checks: running.checks, look: running.look, fix: running.fix, [Symbol.asyncDispose]: () => disposal.disposeAsync() }
}

async function open(prepared: PreparedKernel, path: string | undefined, isFixing: boolean): Promise<Database & AsyncDisposable> {
  if (path === undefined || isFixing) {
    const { openKernelDatabase } = await import('./open-kernel-database.ts')
    // The checks report a server that may lose writes.
    const opened = await openKernelDatabase(prepared, isFixing ? {} : { allowsUnsafe: true })
    return isFixing ? opened : { ...readOnly, ...pick(opened), [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() }
  }
  const thread = new ReadingThread(path)
  return { ...readOnly, read: thread, [Symbol.asyncDispose]: async () => thread[Symbol.dispose]() }
}

const pick = ({ read, snapshot, now, ping }: Database) => ({ read, snapshot, now, ping })

const refuse = async (): Promise<never> => {
  throw new Error('the database is open for reading only')
}

const readOnly = { write: refuse, snapshot: refuse, now: async () => systemClock.now(), ping: async () => undefined }

/** Statements of plugins need the tables of this version. */
function requireCurrentTables(plugins: RunningPlugins, { read }: Database): () => Promise<void> {
  let state: ReturnType<(typeof migrationState)['T'] & object> | undefined
  return async () => {
    state ??= plugins.get(migrationState)(read)
    const { pending, unknown } = await state
    if (pending.length > 0) throw new Error(`the database lacks ${pending.length} migrations; run svc migrate`)
    if (unknown.length > 0) throw new Error(`the database has migrations of a newer svc or of another plugin, such as ${unknown[0]}`)
  }
}
