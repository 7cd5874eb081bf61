import { type ServiceScope, Services } from './container.ts'
import type { ContributedItem } from './contributions.ts'
import type { ExtensionPoint } from './extension-point.ts'
import type { LoadedPlugin } from './loaded-plugin.ts'
import type { Provider, Resolved, ServiceRef, Uses } from './service.ts'
import { type Contributed, contributionsTo } from './wiring.ts'
import { within } from './within.ts'

/** Longest creation of one service, or start of one listener; the start then fails and names it. */
const startMsMax = 60_000

type Value = readonly [ServiceRef<unknown>, unknown]

/** The enabled plugins of one process: their services, created once, and what they contribute, with the services that it uses. */
export class RunningPlugins implements AsyncDisposable {
  readonly #services = new Services()
  readonly #plugins: readonly LoadedPlugin[]
  readonly #scopes: ReadonlyMap<LoadedPlugin, ServiceScope>
  readonly #created = new Map<symbol, Promise<void>>()
  readonly #startMs = new Map<LoadedPlugin, number>()
  /** Contributions that were read, from the time when all services exist. */
  #kept: Map<object, readonly unknown[]> | undefined

  /** `personal`: values that only the services and contributions of this plugin see. */
  constructor(plugins: readonly LoadedPlugin[], personal: (plugin: LoadedPlugin) => readonly Value[] = () => []) {
    this.#plugins = plugins
    this.#scopes = new Map(plugins.map((plugin) => [plugin, this.#services.scope(personal(plugin))]))
  }

  /** Makes a ready value available to all plugins. */
  share<T>(ref: ServiceRef<T>, value: T): void {
    this.#services.share(ref, value)
  }

  get<T>(ref: ServiceRef<T>): T {
    return this.#services.scope().get(ref)
  }

  /** Creates all services in plugin order, each after those that it uses, also as optional ones. The replacements take the place of services, whose providers are not run. */
  async createAll(replacements: readonly Value[] = []): Promise<void> {
    for (const [ref, value] of replacements) {
      this.share(ref, value)
      this.#created.set(ref.token, Promise.resolve())
    }
    for (const plugin of this.#plugins) {
      for (const provider of plugin.provides) await this.#createOnce(provider, plugin)
    }
  }

  /** Contributions are read once from now on, because no further service will be shared. */
  keepContributions(): void {
    this.#kept = new Map()
  }

  contributed<C>(point: ExtensionPoint<C>): readonly Contributed<C>[] {
    return contributionsTo(point, this.#plugins)
  }

  /** The contributions with the services that their `uses` name. */
  bind<C>(point: ExtensionPoint<C>): readonly ContributedItem<C>[] {
    const known = this.#kept?.get(point) as readonly ContributedItem<C>[] | undefined
    if (known) return known
    const bound = this.contributed(point).map(({ plugin, item }) => {
      const { uses = {} } = item as { readonly uses?: Uses }
      return { item, services: this.resolve(plugin, uses), pluginId: plugin.id }
    })
    this.#kept?.set(point, bound)
    return bound
  }

  resolve(plugin: LoadedPlugin, uses: Uses): Resolved<Uses> {
    return this.#scopes.get(plugin)?.resolve(uses) ?? {}
  }

  /** The services, after those that do not exist yet, and all that they use, are created. */
  async resolveOnDemand(plugin: LoadedPlugin, uses: Uses): Promise<Resolved<Uses>> {
    await this.#createFor(uses)
    return this.resolve(plugin, uses)
  }

  /** Milliseconds that the services of the plugin took. */
  startMsOf(plugin: LoadedPlugin): number {
    return Math.round(this.#startMs.get(plugin) ?? 0)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#services[Symbol.asyncDispose]()
  }

  async #createFor(uses: Uses): Promise<void> {
    for (const { token } of Object.values(uses)) {
      const plugin = this.#plugins.find(({ provides }) => provides.some(({ ref }) => ref.token === token))
      const provider = plugin?.provides.find(({ ref }) => ref.token === token)
      if (plugin && provider) await this.#createOnce(provider, plugin)
    }
  }

  /** The graph was checked: no service uses itself through others. */
  #createOnce(provider: Provider, plugin: LoadedPlugin): Promise<void> {
    const { token } = provider.ref
    const creating = this.#created.get(token) ?? this.#createFor(provider.uses).then(() => this.#create(provider, plugin))
    this.#created.set(token, creating)
    return creating
  }

  async #create(provider: Provider, plugin: LoadedPlugin): Promise<void> {
    const scope = this.#scopes.get(plugin)
    if (!scope) return
    const before = performance.now()
    await withinStartLimit(this.#services.create(provider, scope), `service '${provider.ref.id}' of plugin '${plugin.id}'`)
    this.#startMs.set(plugin, (this.#startMs.get(plugin) ?? 0) + performance.now() - before)
  }
}

export const withinStartLimit = <T>(work: Promise<T>, what: string): Promise<T> =>
  within(startMsMax, work, () => {
    throw new Error(`${what} did not start within ${startMsMax / 1000} s`)
  })
