/** Start and stop of the whole service: database → services → listeners → tasks, and back in reverse. */

import { type AnsweredGroup, startAdminListener } from '../admin-listener/admin-listener.ts'
import { routeGuards } from '../admin-listener/route-guard.ts'
import { type AdminAuth, adminAuth } from '../auth/admin-auth.ts'
import { adminAuthSection, adminSection } from '../auth/admin-settings.ts'
import { createAdminAuth } from '../auth/create-admin-auth.ts'
import { describeProblem } from '../config/load.ts'
import { type SystemState, systemState } from '../core/boot-report.ts'
import { type Clock, systemClock } from '../core/clock.ts'
import { type LoadedPlugin, loadPlugin } from '../core/loaded-plugin.ts'
import type { Mode } from '../core/mode.ts'
import { restart } from '../core/restart.ts'
import { RunningPlugins, withinStartLimit } from '../core/running-plugins.ts'
import type { ServiceRef } from '../core/service.ts'
import { Undo } from '../core/undo.ts'
import { contributionsTo } from '../core/wiring.ts'
import { healthChecks } from '../health/health.ts'
import { listeners, type RunningListener } from '../http/listeners.ts'
import { adminRoutes } from '../http/routes.ts'
import type { LockWait } from '../lock/lock-wait.ts'
import { createLog, type Log, log as logRef } from '../log/log.ts'
import { loggingSection } from '../log/logging-settings.ts'
import { version } from '../process/version.ts'
import type { TaskEngine } from '../tasks/engine/engine.ts'
import { dueTimes, taskKinds, taskLanes, taskRecoveries, taskSchedules } from '../tasks/task.ts'
import { kernelContributions } from './kernel-contributions.ts'
import { shareBasis, shareData } from './kernel-services.ts'
import type { PreparedKernel } from './prepare.ts'
import { shareDoctor } from './share-doctor.ts'

export interface StartOptions {
  readonly clock?: Clock
  readonly log?: Log
  /** Replacements of plugins' services; their providers are not run. For tests. */
  readonly override?: readonly (readonly [ServiceRef<unknown>, unknown])[]
  /** How long to wait for another svc that still holds the data. Default: not at all. */
  readonly lockWait?: LockWait
}

export interface RunningKernel extends AsyncDisposable {
  readonly mode: Mode
  readonly state: SystemState
  readonly adminUrl: string
  /** Other listeners by name, such as `s3`. */
  readonly urls: Readonly<Record<string, string>>
  get<T>(ref: ServiceRef<T>): T
  stop(): Promise<void>
  /** Resolves with the reason when what this svc keeps in memory may be stale: its process must end at once. */
  readonly stale: Promise<Error>
  /** Resolves when an operator wants the supervisor to start the process again. */
  readonly restartRequested: Promise<void>
}

export async function startKernel(prepared: PreparedKernel, options: StartOptions = {}): Promise<RunningKernel> {
  if (prepared.decision.mode === 'refused') {
    throw new Error(
      `the configuration cannot be used:\n${prepared.decision.problems.map((problem) => `  ${describeProblem(problem)}`).join('\n')}`,
    )
  }
  const boot = new Boot(prepared, { ...options, mode: prepared.decision.mode, own: await loadPlugin(kernelContributions) })
  try {
    return await boot.run()
  } catch (error) {
    // The undo logs its own failures; the caller gets the reason of the failed start.
    await boot.stop().catch(() => undefined)
    throw error
  }
}

interface BootOptions extends StartOptions {
  readonly mode: Mode
  /** What the kernel itself adds to extension points. */
  readonly own: LoadedPlugin
}

class Boot {
  readonly #undo = new Undo()
  readonly #log: Log
  readonly #prepared: PreparedKernel
  readonly #options: BootOptions
  readonly #clock: Clock
  readonly #plugins: RunningPlugins
  readonly #startedAtMs: number
  readonly #stale = Promise.withResolvers<Error>()
  readonly #restart = Promise.withResolvers<void>()

  constructor(prepared: PreparedKernel, options: BootOptions) {
    const { level, format } = prepared.settings(loggingSection)
    const log = options.log ?? createLog({ level, format, secrets: prepared.secrets, write: (line) => process.stderr.write(line) })
    this.#prepared = prepared
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#startedAtMs = this.#clock.now()
    this.#log = log
    this.#plugins = new RunningPlugins([options.own, ...prepared.enabled], ({ id }) => [[logRef, log.child(id)]])
  }

  async run(): Promise<RunningKernel> {
    const { mode } = this.#options
    const { supervised: isSupervised } = this.#prepared.settings(adminSection)
    shareBasis(this.#plugins, { prepared: this.#prepared, clock: this.#clock, log: this.#log })
    this.#plugins.share(restart, { isSupervised, request: () => this.#restart.resolve() })
    this.#plugins.share(adminAuth, this.#createAuth())
    // I-11: setup mode has no database and no plugin services; its routes use kernel services only.
    const engine = mode === 'full' ? await this.#openData() : undefined
    if (engine) {
      this.#undo.add('services', async () => this.#plugins[Symbol.asyncDispose]())
      await this.#plugins.createAll(this.#options.override)
      this.#undo.add('doctor', shareDoctor(this.#plugins, this.#prepared))
    }
    const state = this.#describe()
    this.#plugins.share(systemState, state)
    this.#plugins.keepContributions()
    // Before the Admin listener, and so stopped after it: S3 clients are answered while its requests end.
    const urls = engine ? await this.#startListeners() : {}
    const admin = await this.#startAdmin()
    if (engine) await this.#startTasks(engine)
    this.#log.info(`svc ${version.version} is running`, { mode, admin: admin.url, ...urls })
    return {
      mode,
      state,
      adminUrl: admin.url,
      urls,
      get: (ref) => this.#plugins.get(ref),
      stop: () => this.stop(),
      stale: this.#stale.promise,
      restartRequested: this.#restart.promise,
      [Symbol.asyncDispose]: () => this.stop(),
    }
  }

  stop(): Promise<void> {
    return this.#undo.run((message, error) => this.#log.error(message, { error }))
  }

  /** I-26: data is locked before it is opened, migrated or swept, and unlocked last. */
  async #openData(): Promise<TaskEngine> {
    const log = this.#log
    const lockWait: LockWait = {
      ms: 0,
      ...this.#options.lockWait,
      onWait: (reason) => {
        log.info('waiting for another svc to stop', { reason })
        // A failure is reported where the module is needed.
        import('./preload.ts').then(({ preload }) => preload(this.#prepared)).catch(() => {})
      },
    }
    const { lockData } = await import('../lock/data-lock.ts')
    const lock = await lockData(this.#prepared, lockWait)
    this.#undo.add('data lock', async () => lock[Symbol.dispose]())
    const { openKernelDatabase } = await import('./open-kernel-database.ts')
    const { applyMigrations, copyIfPending, warnWithoutCopy } = await import('./migrate-database.ts')
    const copied = await copyIfPending(this.#prepared)
    const database = await openKernelDatabase(this.#prepared, {
      clock: this.#options.clock,
      lockWait,
      onWriteFault: (fault) => {
        if (fault) log.error('the database cannot be written', { error: fault })
        else log.info('the database can be written again')
      },
      onWarning: (text) => log.warn(text),
      onStale: (error) => this.#stale.resolve(error),
      onOrphans: (orphans) => log.warn('rows without the row that they refer to were set aside', { ...orphans }),
    })
    this.#undo.add('database', async () => database[Symbol.asyncDispose]())
    await warnWithoutCopy(this.#prepared, database, log)
    const { applied, copy } = await applyMigrations(this.#prepared, database, copied)
    if (applied.length > 0) log.info('database migrated', { applied })
    if (copy) log.info('database copied before its migration; svc migrate --forget-backup removes the copy', { ...copy })
    return shareData(this.#plugins, database, { prepared: this.#prepared, clock: this.#clock, log })
  }

  #createAuth(): AdminAuth {
    const { settings } = this.#prepared
    return createAdminAuth({
      auth: settings(adminAuthSection),
      trustedProxies: settings(adminSection).trusted_proxies,
      clock: this.#clock,
      log: this.#log.child('admin-listener'),
      configPath: this.#prepared.config.path,
    })
  }

  async #startAdmin(): Promise<RunningListener> {
    const { mode } = this.#options
    const { settings } = this.#prepared
    const enabled = this.#plugins.contributed(adminRoutes).map(({ plugin, item }): AnsweredGroup => {
      if (!item.modes.includes(mode)) return { group: item, services: {}, answer: 'setup_mode' }
      return { group: item, services: this.#plugins.resolve(plugin, item.uses), answer: 'serve' }
    })
    const disabled = contributionsTo(adminRoutes, this.#prepared.disabled).map(
      ({ item }): AnsweredGroup => ({ group: item, services: {}, answer: 'plugin_disabled' }),
    )
    const admin = await startAdminListener({
      mode,
      settings: settings(adminSection),
      auth: this.#plugins.get(adminAuth),
      routes: [...enabled, ...disabled],
      // I-11: guards and checks may use services, which setup mode does not create.
      guards: mode === 'full' ? this.#plugins.bind(routeGuards) : [],
      health: { checks: mode === 'full' ? this.#plugins.bind(healthChecks) : [] },
      log: this.#log.child('admin-listener'),
    })
    this.#undo.add('admin listener', () => admin.stop())
    return admin
  }

  async #startListeners(): Promise<Record<string, string>> {
    const urls: Record<string, string> = {}
    for (const { item, services, pluginId } of this.#plugins.bind(listeners)) {
      const running = await withinStartLimit(item.start(services), `listener '${item.name}' of plugin '${pluginId}'`)
      this.#undo.add(`listener ${item.name}`, () => running.stop())
      urls[item.name] = running.url
    }
    return urls
  }

  async #startTasks(engine: TaskEngine): Promise<void> {
    // Added before the start, so that a failing recovery is undone too.
    this.#undo.add('tasks', () => engine.stop())
    await engine.start({
      kinds: this.#plugins.bind(taskKinds),
      lanes: this.#plugins.bind(taskLanes),
      schedules: this.#plugins.contributed(taskSchedules).map(({ item }) => item),
      recoveries: this.#plugins.bind(taskRecoveries),
      dueTimes: this.#plugins.contributed(dueTimes).map(({ item }) => item),
    })
  }

  #describe(): SystemState {
    const describe = (plugin: LoadedPlugin, enabled: boolean) => ({
      id: plugin.id,
      enabled,
      requires: plugin.requires,
      accompanies: plugin.accompanies,
      services: plugin.provides.map(({ ref }) => ref.id),
      startMs: this.#plugins.startMsOf(plugin),
    })
    const { enabled, disabled } = this.#prepared
    const plugins = [...enabled.map((plugin) => describe(plugin, true)), ...disabled.map((plugin) => describe(plugin, false))]
    return { mode: this.#options.mode, ...version, startedAtMs: this.#startedAtMs, plugins }
  }
}
