import { existsSync, readFileSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PluginGraphError } from './graph.ts'
import type { Plugin } from './plugin.ts'

interface PackagePlace {
  readonly configPath: string
  /** The key or variable that holds the names, for messages. */
  readonly place: string
}

/**
 * Loads plugins named in `plugins.packages`: npm packages or paths, both relative to the configuration file.
 * Each must export a plugin as its default export or as `plugin`. They are treated like built-in ones.
 */
export async function loadThirdPartyPlugins(names: readonly string[], { configPath, place }: PackagePlace): Promise<readonly Plugin[]> {
  if (names.length === 0) return []
  shareKernelModules()
  const plugins: Plugin[] = []
  for (const name of names) plugins.push(await importPackage(name, { configPath, place }))
  return plugins
}

async function importPackage(name: string, { configPath, place }: PackagePlace): Promise<Plugin> {
  let module: { readonly default?: unknown; readonly plugin?: unknown }
  try {
    module = await import(resolvePackage(name, configPath))
  } catch (cause) {
    throw new PluginGraphError([`${place} names '${name}', which cannot be loaded: ${(cause as Error).message}`], { cause })
  }
  const plugin = module.default ?? module.plugin
  if (!isPlugin(plugin)) throw new PluginGraphError([`'${name}' in ${place} does not export a plugin made by definePlugin`])
  // Made without definePlugin, it may lack the younger key.
  return Object.freeze({ ...plugin, accompanies: plugin.accompanies ?? [] })
}

function resolvePackage(name: string, configPath: string): string {
  const isPath = name.startsWith('.') || name.startsWith('/')
  const path = resolve(dirname(configPath), name)
  if (isPath && /\.[cm]?[jt]s$/.test(name)) return pathToFileURL(path).href
  if (isPath && existsSync(path)) return pathToFileURL(createRequire(resolve(path, 'package.json')).resolve(path)).href
  return pathToFileURL(createRequire(configPath).resolve(name)).href
}

function isPlugin(value: unknown): value is Plugin {
  return value !== null && typeof value === 'object' && 'id' in value && 'contributes' in value && Object.isFrozen(value)
}

let isShared = false

/**
 * Extension points are compared by identity, so `svc/kernel` must resolve to this kernel wherever the plugin's files are, also where they
 * name it by the npm name of this program.
 */
export function shareKernelModules(): void {
  if (isShared) return
  isShared = true
  const { name } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { readonly name: string }
  registerHooks({
    resolve(specifier, context, next) {
      const prefix = ['svc/', `${name}/`].find((start) => specifier.startsWith(start))
      if (prefix === undefined) return next(specifier, context)
      // Resolved as by this file, it is an entry of `exports` in our own package.json.
      return next(`${name}/${specifier.slice(prefix.length)}`, { ...context, parentURL: import.meta.url })
    },
  })
}
