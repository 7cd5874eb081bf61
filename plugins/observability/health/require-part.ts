import { kernelErrors } from '#kernel/system'

/** The service of a plugin that observability works without. Throws `plugin_disabled` (404) where that plugin is disabled. */
export function requirePart<T>(service: T | undefined, plugin: string): T {
  if (service !== undefined) return service
  throw kernelErrors.plugin_disabled({ message: `The plugin ${plugin}, whose facts this shows, is disabled.` })
}
