/** Start and stop of the whole service: order → config → mode → database → services → listeners → tasks, and back in reverse. */

import { routeGuards } from '../admin-listener/route-guard.ts'
import { configState } from '../config/config-state.ts'
import { describeProblem } from '../config/load.ts'
import { type SystemState, systemState } from '../core/boot-report.ts'
import { type Clock, clock as clockRef, systemClock } from '../core/clock.ts'
import { type ServiceScope, Services } from '../core/container.ts'
import { type ContributedItem, contributions } from '../core/contributions.ts'
import type { ExtensionPoint } from '../core/extension-point.ts'
import { type LoadedPlugin, loadPlugin } from '../core/loaded-plugin.ts'
import type { ServiceRef, Uses } from '../core/service.ts'
import { Undo } from '../core/undo.ts'
import { contributionsTo } from '../core/wiring.ts'
import { within } from '../core/within.ts'
import { database as databaseRef } from '../db/database.ts'
import { shareDoctor } from '../doctor/share-doctor.ts'
import { createEvents, events as eventsRef } from '../events/events.ts'
import { healthChecks } from '../health/health.ts'
import { listeners as listenerPoint, type RunningListener } from '../http/listeners.ts'
import { adminRoutes } from '../http/routes.ts'
import type { LockWait } from '../lock/lock-wait.ts'
import { createLog, type Log, log as logRef } from '../log/log.ts'
import { limits } from '../process/limits.ts'
import { version } from '../process/version.ts'
import type { TaskEngine } from '../tasks/engine/engine.ts'
import { taskQueue } from '../tasks/queue.ts'
import { taskRuns } from '../tasks/run-counts.ts'
import { dueTimes, taskKinds, taskLanes, taskRecoveries, taskSchedules } from '../tasks/task.ts'
import { taskChanges } from '../tasks/task-changes.ts'
import { taskControl } from '../tasks/task-control.ts'
import { workerHealth } from '../tasks/worker-health.ts'
import { kernelContributions } from './kernel-contributions.ts'
import type { PreparedKernel } from './prepare.ts'
import { adminAuthSection, adminSection, loggingSection, workerSection } from './settings.ts'

export interface StartOptions {
  readonly clock?: Clock
  readonly log?: Log
  /** Replacements of plugins' services; their providers are not run. For tests. */
  readonly override?: readonly (readonly [ServiceRef<unknown>, unknown])[]
  /** How long to wait for another svc that still holds the data. Default: not at all. */
  readonly lockWait?: LockWait
}

export interface RunningKernel extends AsyncDisposable {
  readonly mode: 'setup' | 'full'
  readonly state: SystemState
  readonly adminUrl: string
  /** Other listeners by name, such as `s3`. */
  readonly urls: Readonly<Record<string, string>>
  get<T>(ref: ServiceRef<T>): T
  stop(): Promise<void>
  /** Resolves with the reason when what this svc keeps in memory may be stale: its process must end at once. */
  readonly stale: Promise<Error>
}

export async function startKernel(prepared: PreparedKernel, options: StartOptions = {}): Promise<RunningKernel> {
  if (prepared.decision.mode === 'refused') {
    throw new Error(
      `the configuration cannot be used:\n${prepared.decision.problems.map((problem) => `  ${describeProblem(problem)}`).join('\n')}`,
    )
  }
  const boot = new Boot(prepared, prepared.decision.mode, { ...options, own: await loadPlugin(kernelContributions) })
  try {
    return await boot.run()
  } catch (error) {
    // The undo logs its own failures; the caller gets the reason of the failed start.
    await boot.undo.run(boot.log).catch(() => undefined)
    throw error
  }
}

interface BootOptions extends StartOptions {
  /** What the kernel itself adds to extension points. */
  readonly own: LoadedPlugin
}

class Boot {
  readonly undo = new Undo()
  readonly log: Log
  readonly #prepared: PreparedKernel
  readonly #mode: 'setup' | 'full'
  readonly #options: BootOptions
  readonly #clock: Clock
  readonly #services = new Services()
  readonly #scopes = new Map<LoadedPlugin, ServiceScope>()
  readonly #startMs = new Map<LoadedPlugin, number>()
  readonly #startedAtMs: number
  readonly #stale = Promise.withResolvers<Error>()
  /** Contributions that were read, from the time when all services exist. */
  #bound: Map<object, readonly unknown[]> | undefined

  constructor(prepared: PreparedKernel, mode: 'setup' | 'full', options: BootOptions) {
    this.#prepared = prepared
    this.#mode = mode
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#startedAtMs = this.#clock.now()
    const { level, format } = prepared.settings(loggingSection)
    this.log = options.log ?? createLog({ level, format, secrets: prepared.secrets, write: (line) => process.stderr.write(line) })
  }

  async run(): Promise<RunningKernel> {
    this.#shareKernelServices()
    // I-11: setup mode has no database and no plugin services; its routes use kernel services only.
    const engine = this.#mode === 'full' ? await this.#openDatabase() : undefined
    if (engine) await this.#createServices()
    if (engine)
      this.undo.add(
        'doctor',
        shareDoctor(this.#services, this.#prepared, (point) => this.#bind(point)),
      )
    const state = this.#describe()
    this.#services.share(systemState, state)
    this.#bound = new Map()
    const admin = await this.#startAdmin()
    const others = this.#mode === 'full' ? await this.#startListeners() : {}
    if (engine) await this.#startTasks(engine)
    this.log.info(`svc ${version.version} is running`, { mode: this.#mode, admin: admin.url, ...others })
    return {
      mode: this.#mode,
      state,
      adminUrl: admin.url,
      urls: others,
      get: (ref) => this.#services.scope().get(ref),
      stop: () => this.undo.run(this.log),
      stale: this.#stale.promise,
      [Symbol.asyncDispose]: () => this.undo.run(this.log),
    }
  }

  #shareKernelServices(): void {
    this.#services.share(clockRef, this.#clock)
    this.#services.share(logRef, this.log)
    this.#services.share(
      eventsRef,
      createEvents((error) => this.log.error('an event listener failed', { error })),
    )
    this.#services.share(contributions, { to: (point) => this.#bind(point) })
    this.#services.share(configState, this.#prepared.configState)
    for (const section of this.#prepared.sections) this.#services.share(section.settings, this.#prepared.settings(section))
    for (const plugin of this.#prepared.enabled) this.#scopes.set(plugin, this.#services.scope([[logRef, this.log.child(plugin.id)]]))
  }

  /** I-26: data is locked before it is opened, migrated or swept, and unlocked last. */
  #lockWait(): LockWait {
    return { ms: 0, ...this.#options.lockWait, onWait: (reason) => this.log.info('waiting for another svc to stop', { reason }) }
  }

  async #lockData(): Promise<void> {
    const { lockData } = await import('../lock/data-lock.ts')
    const lock = await lockData(this.#prepared, this.#lockWait())
    this.undo.add('data lock', async () => lock[Symbol.dispose]())
  }

  async #openDatabase(): Promise<TaskEngine> {
    await this.#lockData()
    const { openKernelDatabase } = await import('./open-kernel-database.ts')
    const database = await openKernelDatabase(this.#prepared, {
      clock: this.#options.clock,
      lockWait: this.#lockWait(),
      onWriteFault: (fault) => {
        if (fault) this.log.error('the database cannot be written', { error: fault })
        else this.log.info('the database can be written again')
      },
      onWarning: (text) => this.log.warn(text),
      onStale: (error) => this.#stale.resolve(error),
      onOrphans: (orphans) => this.log.warn('rows without the row that they refer to were set aside', { ...orphans }),
    })
    this.undo.add('database', async () => database[Symbol.asyncDispose]())
    const applied = await database.migrate()
    if (applied.length > 0) this.log.info('database migrated', { applied })
    this.#services.share(databaseRef, database)
    const { createTaskEngine } = await import('../tasks/engine/create-engine.ts')
    const engine = createTaskEngine({
      database,
      clock: this.#clock,
      log: this.log.child('tasks'),
      settings: this.#prepared.settings(workerSection),
    })
    this.#services.share(taskQueue, engine.queue)
    this.#services.share(taskControl, engine.control)
    this.#services.share(taskChanges, engine.changes)
    this.#services.share(taskRuns, engine.runs)
    this.#services.share(workerHealth, engine)
    return engine
  }

  async #createServices(): Promise<void> {
    this.undo.add('services', async () => this.#services[Symbol.asyncDispose]())
    const overridden = new Set(this.#options.override?.map(([ref]) => ref.token))
    for (const [ref, value] of this.#options.override ?? []) this.#services.share(ref, value)
    for (const plugin of this.#prepared.enabled) {
      const before = performance.now()
      for (const provider of plugin.provides) {
        if (overridden.has(provider.ref.token)) continue
        await withinStartLimit(
          this.#services.create(provider, this.#scope(plugin)),
          `service '${provider.ref.id}' of plugin '${plugin.id}'`,
        )
      }
      this.#startMs.set(plugin, performance.now() - before)
    }
  }

  async #startAdmin(): Promise<RunningListener> {
    const { startAdminListener } = await import('../admin-listener/admin-listener.ts')
    const enabled = this.#contributed(adminRoutes).map(({ plugin, item }) => {
      const isOn = item.modes.includes(this.#mode)
      return {
        group: item,
        services: isOn ? this.#resolve(plugin, item.uses) : {},
        answer: isOn ? ('serve' as const) : ('setup_mode' as const),
      }
    })
    const disabled = contributionsTo(adminRoutes, this.#prepared.disabled).map(({ item }) => ({
      group: item,
      services: {},
      answer: 'plugin_disabled' as const,
    }))
    const checks = this.#mode === 'full' ? this.#bind(healthChecks) : []
    const admin = await startAdminListener({
      mode: this.#mode,
      settings: this.#prepared.settings(adminSection),
      auth: this.#prepared.settings(adminAuthSection),
      routes: [...enabled, ...disabled],
      // I-11: a guard may use services, which setup mode does not create.
      guards: this.#mode === 'full' ? this.#bind(routeGuards) : [],
      health: { checks },
      clock: this.#clock,
      log: this.log.child('admin-listener'),
    })
    this.undo.add('admin listener', () => admin.stop())
    return admin
  }

  async #startListeners(): Promise<Record<string, string>> {
    const urls: Record<string, string> = {}
    for (const { plugin, item } of this.#contributed(listenerPoint)) {
      const running = await withinStartLimit(
        item.start(this.#resolve(plugin, item.uses) as never),
        `listener '${item.name}' of plugin '${plugin.id}'`,
      )
      this.undo.add(`listener ${item.name}`, () => running.stop())
      urls[item.name] = running.url
    }
    return urls
  }

  async #startTasks(engine: TaskEngine): Promise<void> {
    // Added before the start, so that a failing recovery is undone too.
    this.undo.add('tasks', () => engine.stop())
    await engine.start({
      kinds: this.#bind(taskKinds),
      lanes: this.#bind(taskLanes),
      schedules: this.#contributed(taskSchedules).map(({ item }) => item),
      recoveries: this.#bind(taskRecoveries),
      dueTimes: this.#contributed(dueTimes).map(({ item }) => item),
    })
  }

  #describe(): SystemState {
    const describe = (plugin: LoadedPlugin, enabled: boolean) => ({
      id: plugin.id,
      enabled,
      requires: plugin.requires,
      services: plugin.provides.map(({ ref }) => ref.id),
      startMs: Math.round(this.#startMs.get(plugin) ?? 0),
    })
    const plugins = [
      ...this.#prepared.enabled.map((plugin) => describe(plugin, true)),
      ...this.#prepared.disabled.map((plugin) => describe(plugin, false)),
    ]
    return { mode: this.#mode, ...version, startedAtMs: this.#startedAtMs, plugins }
  }

  #contributed<C>(point: ExtensionPoint<C>) {
    return contributionsTo(point, [this.#options.own, ...this.#prepared.enabled])
  }

  #bind<C>(point: ExtensionPoint<C>): readonly ContributedItem<C>[] {
    const known = this.#bound?.get(point) as readonly ContributedItem<C>[] | undefined
    if (known) return known
    const bound = this.#contributed(point).map(({ plugin, item }) => {
      const { uses = {} } = item as { readonly uses?: Uses }
      return { item, services: this.#resolve(plugin, uses), pluginId: plugin.id }
    })
    this.#bound?.set(point, bound)
    return bound
  }

  #scope(plugin: LoadedPlugin): ServiceScope {
    return this.#scopes.get(plugin) ?? this.#services.scope()
  }

  #resolve(plugin: LoadedPlugin, uses: Uses): unknown {
    return this.#scope(plugin).resolve(uses)
  }
}

const withinStartLimit = <T>(work: Promise<T>, what: string): Promise<T> =>
  within(limits.serviceStartMs, work, () => {
    throw new Error(`${what} did not start within ${limits.serviceStartMs / 1000} s`)
  })
