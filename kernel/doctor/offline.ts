/** The doctor without a running gateway: no listener, no task, and only the services that the checks need. */
import { existsSync } from 'node:fs'
import { configState } from '../config/config-state.ts'
import { clock, systemClock } from '../core/clock.ts'
import { Services } from '../core/container.ts'
import { contributions } from '../core/contributions.ts'
import type { ExtensionPoint } from '../core/extension-point.ts'
import { type LoadedPlugin, loadPlugin } from '../core/loaded-plugin.ts'
import type { Provider, ServiceRef, Uses } from '../core/service.ts'
import { contributionsTo } from '../core/wiring.ts'
import { type Database, database as databaseRef } from '../db/database.ts'
import { ReadingThread } from '../db/reading-thread.ts'
import { createEvents, events } from '../events/events.ts'
import { lockExistingData } from '../lock/data-lock.ts'
import { type Log, log as logRef } from '../log/log.ts'
import { kernelContributions } from '../start/kernel-contributions.ts'
import type { PreparedKernel } from '../start/prepare.ts'
import { workerSection } from '../start/settings.ts'
import { taskQueue } from '../tasks/queue.ts'
import { taskRuns } from '../tasks/run-counts.ts'
import { taskChanges } from '../tasks/task-changes.ts'
import { taskControl } from '../tasks/task-control.ts'
import { workerHealth } from '../tasks/worker-health.ts'
import { doctorChecks, doctorFixes } from './check.ts'
import { type Bound, createDoctor } from './doctor.ts'
import { type Doctor, migrationState } from './service.ts'
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
  const services = new Services()
  const places = shareDoctorFacts(services, prepared)
  if (places.databasePath !== undefined && !existsSync(places.databasePath)) {
    throw new Error(`there is no database ${places.databasePath}; svc serve or svc migrate creates it`)
  }
  opened.use(await lockExistingData(prepared))
  const database = opened.use(await open(prepared, places.databasePath, isFixing))
  const offline = new OfflineServices(services, [await loadPlugin(kernelContributions), ...prepared.enabled])
  await shareKernelServices(services, { prepared, database, log, offline })
  opened.use(services)
  if (isFixing) await offline.createAll()
  const usable = requireCurrentTables(services, database)
  const bound = <C extends { readonly uses: Uses }>(point: ExtensionPoint<C>): readonly Bound<C>[] =>
    offline.contributed(point).map(({ plugin, item }) => ({
      item,
      async services() {
        if (plugin.id !== 'kernel') await usable()
        return offline.resolve(item.uses)
      },
    }))
  const running = opened.use(
    createDoctor({
      checks: () => bound(doctorChecks),
      fixes: () => bound(doctorFixes),
      databasePath: places.databasePath,
      read: database.read,
      isOnline: false,
    }),
  )
  const disposal = opened.move()
  return { checks: running.checks, look: running.look, fix: running.fix, [Symbol.asyncDispose]: () => disposal.disposeAsync() }
}

async function open(prepared: PreparedKernel, path: string | undefined, isFixing: boolean): Promise<Database & AsyncDisposable> {
  if (path === undefined || isFixing) {
    const { openKernelDatabase } = await import('../start/open-kernel-database.ts')
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
function requireCurrentTables(services: Services, { read }: Database): () => Promise<void> {
  let state: ReturnType<(typeof migrationState)['T'] & object> | undefined
  return async () => {
    state ??= services.scope().get(migrationState)(read)
    const { pending, unknown } = await state
    if (pending.length > 0) throw new Error(`the database lacks ${pending.length} migrations; run svc migrate`)
    if (unknown.length > 0) throw new Error(`the database has migrations of a newer svc or of another plugin, such as ${unknown[0]}`)
  }
}

interface Shared {
  readonly prepared: PreparedKernel
  readonly database: Database
  readonly log: Log
  readonly offline: OfflineServices
}

async function shareKernelServices(services: Services, { prepared, database, log, offline }: Shared): Promise<void> {
  const { createTaskEngine } = await import('../tasks/engine/create-engine.ts')
  // Never started: tasks that a fix enqueues run in the gateway.
  const engine = createTaskEngine({ database, clock: systemClock, log, settings: prepared.settings(workerSection) })
  services.share(clock, systemClock)
  services.share(logRef, log)
  services.share(
    events,
    createEvents((error) => log.error('an event listener failed', { error })),
  )
  services.share(configState, prepared.configState)
  services.share(databaseRef, database)
  services.share(contributions, {
    to: (point) => offline.contributed(point).map(({ plugin, item }) => ({ item, pluginId: plugin.id, services: offline.now(item) })),
  })
  services.share(taskQueue, engine.queue)
  services.share(taskControl, engine.control)
  services.share(taskChanges, engine.changes)
  services.share(taskRuns, engine.runs)
  services.share(workerHealth, engine)
  for (const section of prepared.sections) services.share(section.settings, prepared.settings(section))
}

/** Creates the services of plugins when they are needed. */
class OfflineServices {
  readonly #services: Services
  readonly #plugins: readonly LoadedPlugin[]
  readonly #created = new Map<symbol, Promise<void>>()

  constructor(services: Services, plugins: readonly LoadedPlugin[]) {
    this.#services = services
    this.#plugins = plugins
  }

  contributed<C>(point: ExtensionPoint<C>) {
    return contributionsTo(point, this.#plugins)
  }

  async resolve(uses: Uses): Promise<unknown> {
    await this.#createFor(uses)
    return this.#services.scope().resolve(uses)
  }

  /** Services of a contribution to another plugin's extension point. They exist when all services were created. */
  now(item: unknown): unknown {
    return this.#services.scope().resolve((item as { readonly uses?: Uses }).uses ?? {})
  }

  async createAll(): Promise<void> {
    for (const { provides } of this.#plugins) for (const provider of provides) await this.#create(provider)
  }

  async #createFor(uses: Uses): Promise<void> {
    for (const ref of Object.values(uses)) {
      const provider = this.#providerOf(ref)
      if (provider) await this.#create(provider)
    }
  }

  #create(provider: Provider): Promise<void> {
    const { token } = provider.ref
    const known = this.#created.get(token)
    if (known) return known
    const creating = this.#createFor(provider.uses).then(() => this.#services.create(provider, this.#services.scope()))
    this.#created.set(token, creating)
    return creating
  }

  #providerOf({ token }: ServiceRef<unknown>): Provider | undefined {
    for (const { provides } of this.#plugins) {
      const found = provides.find(({ ref }) => ref.token === token)
      if (found) return found
    }
    return undefined
  }
}
