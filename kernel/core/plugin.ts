import type { Contribution } from './extension-point.ts'
import type { Provider } from './service.ts'

/** A feature: the plugins it requires, the services it provides, and its contributions to extension points. */
export interface Plugin {
  readonly id: string
  /** Ids of plugins that must be enabled too. For an optional dependency use `optional(service)` instead. */
  readonly requires: readonly string[]
  /** A function imports them when the service starts. */
  readonly provides: readonly Provider[] | (() => Promise<readonly Provider[]>)
  // biome-ignore lint/suspicious/noExplicitAny: a plugin's contributions differ in type
  readonly contributes: readonly Contribution<any>[]
}

const idPattern = /^[a-z][a-z0-9-]*$/
const knownKeys = new Set(['id', 'requires', 'provides', 'contributes'])

/** Throws on an id that is not kebab-case and on a key that is not one of the four. */
export function definePlugin(spec: Partial<Plugin> & Pick<Plugin, 'id'>): Plugin {
  if (!idPattern.test(spec.id)) throw new Error(`plugin id '${spec.id}' must be kebab-case, like 'hello-world'`)
  for (const key of Object.keys(spec)) {
    if (!knownKeys.has(key)) throw new Error(`plugin '${spec.id}' has the key '${key}'; a plugin has only ${[...knownKeys].join(', ')}`)
  }
  return Object.freeze({ requires: [], provides: [], contributes: [], ...spec })
}
