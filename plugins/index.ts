import type { Plugin } from '#kernel'

/** Every built-in plugin. Order does not matter: `requires` decides. */
export const builtinPlugins: readonly Plugin[] = []
