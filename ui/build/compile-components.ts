import { type QwikVitePluginOptions, qwikVite } from '@builder.io/qwik/optimizer'
import type { Plugin, PluginOption } from 'vite'

const virtual = 'virtual:svc-live-prop'
const imported = /import\s*\{\s*_wrapProp\s*\}\s*from\s*["']@builder\.io\/qwik["']/

/** The signal behind `holder[name]`; without one the prop is compared at each drawing. */
const helper = `
import { _wrapProp, isSignal } from '@builder.io/qwik'
export const livePropOf = (holder, name) => {
  const found = _wrapProp(holder, name)
  return isSignal(found) ? found : undefined
}
`

export const compileComponents = (options: Pick<QwikVitePluginOptions, 'srcDir'> = {}): PluginOption[] => [
  qwikVite({ csr: true, ...options }),
  liveProps(),
]

/**
 * The optimizer of Qwik marks `<Child size={row.size} />` as a prop that never changes, unless `row` is a store, a signal or props: the
 * child would show its first value until the page is left.
 */
const liveProps = (): Plugin => ({
  name: 'svc-live-props',
  resolveId: (id) => (id === virtual ? `\0${virtual}` : undefined),
  load: (id) => (id === `\0${virtual}` ? helper : undefined),
  transform(code, id) {
    if (!code.includes('_wrapProp') || id.includes('/node_modules/@builder.io/') || id === `\0${virtual}`) return undefined
    if (!imported.test(code))
      throw new Error(`${id}: the optimizer of Qwik imports _wrapProp in another way; adapt ui/build/compile-components.ts.`)
    return { code: code.replace(imported, `import { livePropOf as _wrapProp } from '${virtual}'`), map: null }
  },
})
