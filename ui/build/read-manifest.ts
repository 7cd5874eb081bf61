import { build, type Plugin } from 'vite'
import type { DashboardPart } from './manifest-policy.ts'
import { listUis, type UiSource } from './plugin-uis.ts'

const entry = '\0svc-manifest'
const stub = '\0svc-stub'
/** Components are replaced by their names, and `definePluginUi` returns its argument. */
const stubCode = 'export default new Proxy({}, { get: (_all, name) => (name === "definePluginUi" ? (ui) => ui : String(name)) })'

/** Evaluates the `ui/index.ts` of every plugin without its pages, so that mistakes are found before anything is built. */
export async function readManifest(sources: readonly UiSource[]): Promise<readonly DashboardPart[]> {
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    plugins: [declarationsOnly(sources)],
    build: { ssr: true, write: false, minify: false, rollupOptions: { input: entry } },
  })
  const [output] = Array.isArray(result) ? result : [result]
  const code = output && 'output' in output ? output.output[0].code : ''
  const module = (await import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`)) as {
    readonly pluginUis: readonly { readonly plugin: string; readonly ui: Omit<DashboardPart, 'plugin'> }[]
  }
  return module.pluginUis.map(({ plugin, ui }) => ({ plugin, ...ui }))
}

const declarationsOnly = (sources: readonly UiSource[]): Plugin => ({
  name: 'svc-declarations-only',
  enforce: 'pre',
  resolveId(id) {
    if (id === entry) return id
    if (sources.some(({ module }) => module === id) || /^\.\.?\/.*\.ts$/.test(id)) return undefined
    return stub
  },
  load(id) {
    if (id === entry) return listUis(sources)
    return id === stub ? { code: stubCode, syntheticNamedExports: true } : undefined
  },
})
