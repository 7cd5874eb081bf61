import type { Plugin } from 'vite'

const loader = '@builder.io/qwik/qwikloader.js'

/** Keeps the event loader of Qwik in the build: its package says that importing it has no effect. */
export const keepLoader = (): Plugin => ({
  name: 'svc-keep-loader',
  enforce: 'pre',
  async resolveId(id, importer) {
    if (id !== loader) return undefined
    const found = await this.resolve(id, importer, { skipSelf: true })
    return found && { ...found, moduleSideEffects: true }
  },
})
