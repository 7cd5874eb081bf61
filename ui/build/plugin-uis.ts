import { dirname } from 'node:path'
import type { Plugin } from 'vite'

/** Where a part of the dashboard is, and whose it is. */
export interface UiSource {
  readonly plugin: string
  /** Absolute path of its `ui/index.ts`. */
  readonly module: string
}

const name = 'virtual:svc-plugin-uis'
const id = `\0${name}`

/** All parts of plugins as one module, and their folders as sources of class names. */
export const pluginUis = (sources: readonly UiSource[]): Plugin => ({
  name: 'svc-plugin-uis',
  enforce: 'pre',
  resolveId: (wanted) => (wanted === name ? id : undefined),
  load: (wanted) => (wanted === id ? listUis(sources) : undefined),
  transform(code, file) {
    if (!file.endsWith('/ui/src/styles/index.css')) return undefined
    return code + sources.map(({ module }) => `\n@source ${JSON.stringify(dirname(module))};`).join('')
  },
})

/** The text of a module that exports the parts as `pluginUis`. */
export function listUis(sources: readonly UiSource[]): string {
  const imports = sources.map(({ module }, at) => `import ui${at} from ${JSON.stringify(module)}`)
  const items = sources.map(({ plugin }, at) => `{ plugin: ${JSON.stringify(plugin)}, ui: ui${at} }`)
  return `${imports.join('\n')}\nexport const pluginUis = [${items.join(', ')}]\n`
}
