import 'reflect-metadata'
import { type DependencyContainer, container as rootContainer } from 'tsyringe'
import type { Provider, Resolved, ServiceRef, Uses } from './service.ts'

/**
 * The services of one running kernel. The only file that knows tsyringe.
 * Values are created eagerly, in plugin order, so resolving is synchronous. Each plugin resolves through its own child container,
 * whose entries (its logger) take precedence over the shared ones.
 */
export class Services implements AsyncDisposable {
  readonly #shared: DependencyContainer = rootContainer.createChildContainer()
  readonly #created: { readonly id: string; readonly value: unknown }[] = []

  /** Makes a ready value available to all plugins. */
  share<T>(ref: ServiceRef<T>, value: T): void {
    this.#shared.register(ref.token, { useValue: value })
  }

  /** The services as one plugin sees them. */
  scope(personal: readonly (readonly [ServiceRef<unknown>, unknown])[] = []): ServiceScope {
    const child = this.#shared.createChildContainer()
    for (const [ref, value] of personal) child.register(ref.token, { useValue: value })
    return new ServiceScope(child)
  }

  async create(provider: Provider, scope: ServiceScope): Promise<void> {
    const value = await provider.create(scope.resolve(provider.uses))
    this.#created.push({ id: provider.ref.id, value })
    this.share(provider.ref, value)
  }

  /** Disposes all services in reverse order of creation. Failures do not stop it and are thrown together. */
  async [Symbol.asyncDispose](): Promise<void> {
    const failures: Error[] = []
    for (const { id, value } of this.#created.splice(0).reverse()) {
      try {
        await dispose(value)
      } catch (error) {
        failures.push(new Error(`service '${id}' did not stop cleanly`, { cause: error }))
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, failures.map((failure) => failure.message).join('; '))
  }
}

export class ServiceScope {
  readonly #container: DependencyContainer

  constructor(container: DependencyContainer) {
    this.#container = container
  }

  get<T>(ref: ServiceRef<T>): T {
    // `true`: include parent containers.
    if (this.#container.isRegistered(ref.token, true)) return this.#container.resolve<T>(ref.token)
    if (ref.isOptional) return undefined as T
    throw new Error(`no enabled plugin provides the service '${ref.id}'`)
  }

  resolve<U extends Uses>(uses: U): Resolved<U> {
    return Object.fromEntries(Object.entries(uses).map(([name, ref]) => [name, this.get(ref)])) as Resolved<U>
  }
}

async function dispose(value: unknown): Promise<void> {
  if (value === null || typeof value !== 'object') return
  if (Symbol.asyncDispose in value) await (value as AsyncDisposable)[Symbol.asyncDispose]()
  else if (Symbol.dispose in value) (value as Disposable)[Symbol.dispose]()
}
