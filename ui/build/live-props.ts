import { join } from 'node:path'
import type { Plugin } from 'vite'
import { uiFolder } from './build-paths.ts'

const helper = join(uiFolder, 'src/live-prop.ts')
const imported = /import\s*\{\s*_wrapProp\s*\}\s*from\s*["']@builder\.io\/qwik["']/

/**
 * The optimizer of Qwik marks `<Child size={row.size} />` as a prop that never changes, unless `row` is a store, signal or props: a child
 * of a list would show its first answer for ever. Its calls go through live-prop.ts. Comes after `qwikVite`.
 */
export const liveProps = (): Plugin => ({
  name: 'svc-live-props',
  transform(code, id) {
    if (!code.includes('_wrapProp') || id.includes('/node_modules/') || id === helper) return undefined
    if (!imported.test(code))
      throw new Error(`${id}: the optimizer of Qwik imports _wrapProp in another way; adapt ui/build/live-props.ts.`)
    return { code: code.replace(imported, `import { livePropOf as _wrapProp } from ${JSON.stringify(helper)}`), map: null }
  },
})
