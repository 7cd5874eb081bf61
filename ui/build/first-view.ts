import type { Plugin, Rollup } from 'vite'

/** Drawn later, if at all: pages other than the overview, pictures, and what opens on demand. Banners and badges of plugins are on every page. */
const later =
  /uplot|\/src\/(charts|pages)\/|\/shell\/(transfer-tray|shortcut-help|session\/external-ways)|\/ui\/(?!src\/)(?!index\.ts|overview\/|endpoints\.ts)(?!.*-(banner|badge)\.tsx).*\.tsx/
/** Segments of Qwik that a first drawing runs; those of events load when they are needed. */
const drawn = /_(component|useTask|useVisibleTask|useComputed)[^/]*$/i

/** Asks the browser for all chunks of the first view at once, instead of one import after the other. */
export function preloadFirstView(): Plugin {
  let modules: ReadonlySet<string> = new Set()
  return {
    name: 'svc-preload-first-view',
    buildEnd() {
      modules = walk(this)
    },
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        return Object.values(bundle)
          .filter((file) => file.type === 'chunk' && file.moduleIds.some((id) => modules.has(id)) && !html.includes(file.fileName))
          .map(({ fileName }) => ({
            tag: 'link',
            attrs: { rel: 'modulepreload', crossorigin: true, href: `/${fileName}` },
            injectTo: 'head' as const,
          }))
      },
    },
  }
}

/**
 * For `manualChunks`: the first view is one chunk, so that pages that are drawn later never share a file with it. The set is closed
 * under static imports: the chunk imports no other one, and no circle of chunks can arise. main.tsx, which starts the page, runs after it.
 */
export function firstViewChunk(): Rollup.GetManualChunk {
  let modules: ReadonlySet<string> | undefined
  return (id, context) => {
    modules ??= walk({ getModuleIds: context.getModuleIds, getModuleInfo: context.getModuleInfo })
    return modules.has(id) && !isStart(id) ? 'first' : undefined
  }
}

const isStart = (id: string): boolean => id.endsWith('/ui/src/main.tsx')

/** The modules that main.tsx reaches by imports and by drawing components. */
function walk(context: Pick<Rollup.PluginContext, 'getModuleIds' | 'getModuleInfo'>): ReadonlySet<string> {
  const found = new Set<string>()
  const waiting = [...context.getModuleIds()].filter(isStart)
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id)) continue
    found.add(id)
    const info = context.getModuleInfo(id)
    const segments = (info?.dynamicallyImportedIds ?? []).filter((segment) => drawn.test(segment) && !later.test(segment))
    waiting.push(...(info?.importedIds ?? []), ...segments)
  }
  return found
}
