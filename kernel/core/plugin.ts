import type { Contribution } from './extension-point.ts'
import type { Provider } from './service.ts'

/**
 * @recipe a plugin
 * Write `definePlugin({ id, requires, accompanies, provides, contributes })` in `plugins/<id>/plugin.ts`, and list it in
 * `plugins/index.ts`. `requires` names plugins without which svc must not start, `accompanies` those that the plugin only shows or
 * extends: while one of them is disabled, it rests, and its routes answer `plugin_disabled`. What works without a service uses
 * `optional(service)`, and needs neither. The position in the list does not matter: a service is created after all that it uses.
 */
/** A feature: the plugins it requires or accompanies, the services it provides, and its contributions to extension points. */
export interface Plugin {
  readonly id: string
  /** Ids of plugins that must be enabled too: without one of them svc does not start. For an optional dependency use `optional(service)` instead. */
  readonly requires: readonly string[]
  /** Ids of plugins that it adds something to: while one of them is disabled, it rests, as if it were disabled too. */
  readonly accompanies: readonly string[]
  /** A function imports them when the service starts. */
  readonly provides: readonly Provider[] | (() => Promise<readonly Provider[]>)
  // biome-ignore lint/suspicious/noExplicitAny: a plugin's contributions differ in type
  readonly contributes: readonly Contribution<any>[]
}

const idPattern = /^[a-z][a-z0-9-]*$/
const knownKeys = new Set(['id', 'requires', 'accompanies', 'provides', 'contributes'])

/** Throws on an id that is not kebab-case and on a key that is not one of the five. */
export function definePlugin(spec: Partial<Plugin> & Pick<Plugin, 'id'>): Plugin {
  if (!idPattern.test(spec.id)) throw new Error(`plugin id '${spec.id}' must be kebab-case, like 'hello-world'`)
  for (const key of Object.keys(spec)) {
    if (!knownKeys.has(key)) throw new Error(`plugin '${spec.id}' has the key '${key}'; a plugin has only ${[...knownKeys].join(', ')}`)
  }
  return Object.freeze({ requires: [], accompanies: [], provides: [], contributes: [], ...spec })
}
