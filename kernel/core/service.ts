/**
 * @recipe a service, metric, health check or listener
 * `plugin.ts` imports no implementation, because every command imports `plugin.ts`: `provides` is a function that imports the providers,
 * or each `create` imports what it needs, and contributions use `point.load(…)`. `cli/loaded-modules.test.ts` fails when a command imports
 * too much. Schemas come from `#kernel/schema`; they are built at their first use.
 */
/** Typed references to services, and the providers that create them. The registry is container.ts. */

/** Names a service without naming its implementation. Compared by identity; the id is for people. */
export interface ServiceRef<T> {
  readonly id: string
  readonly token: symbol
  readonly isOptional: boolean
  /** Never read at run time: carries T for inference. */
  readonly T?: T
}

// biome-ignore lint/suspicious/noExplicitAny: one record holds services of every type
export type Uses = Readonly<Record<string, ServiceRef<any>>>
/** The services of a `uses`. A contributed item takes them in methods, so an item with any `uses` is one with `Uses` and needs no cast. */
export type Resolved<U extends Uses> = { readonly [K in keyof U]: U[K] extends ServiceRef<infer T> ? T : never }

/** Creates a service. Disposable values are disposed in reverse order of creation. */
export interface Provider {
  readonly ref: ServiceRef<unknown>
  readonly uses: Uses
  create(uses: Resolved<Uses>): unknown
}

export function defineService<T>(id: string): ServiceRef<T> {
  return { id, token: Symbol(id), isOptional: false }
}

/** The same service, or undefined where no enabled plugin provides it. */
export function optional<T>(ref: ServiceRef<T>): ServiceRef<T | undefined> {
  return { id: ref.id, token: ref.token, isOptional: true }
}

/** `create` may be asynchronous, to import heavy modules only when the service is created. */
export function provide<T, const U extends Uses>(ref: ServiceRef<T>, uses: U, create: (uses: Resolved<U>) => T | Promise<T>): Provider {
  return { ref, uses, create } as Provider
}
