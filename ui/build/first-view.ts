import type { Plugin, Rollup } from 'vite'

/** Drawn later, if at all: pages other than the overview, pictures, and what opens on demand. Banners of plugins are above every page. */
const later =
  /uplot|\/src\/(charts|pages)\/|\/shell\/transfer-row|\/ui\/(?!src\/)(?!index\.ts|overview\/|endpoints\.ts)(?!.*-banner\.tsx).*\.tsx/
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
 * One chunk with all modules of the first view and everything that they import, so that it imports no other chunk. Without it, small
 * segments of pages are merged into the chunks of the first view. main.tsx is outside: it draws, which needs the whole chunk evaluated.
 */
export function joinFirstView(): Rollup.GetManualChunk {
  let first: ReadonlySet<string> | undefined
  return (id, graph) => {
    first ??= closeImports(graph)
    return first.has(id) && !isMain(id) ? 'first' : undefined
  }
}

const isMain = (id: string): boolean => id.endsWith('/ui/src/main.tsx')

type Graph = Pick<Rollup.ManualChunkMeta, 'getModuleIds' | 'getModuleInfo'>

function closeImports(graph: Graph): ReadonlySet<string> {
  const found = new Set<string>()
  const waiting = [...walk(graph)]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id)) continue
    found.add(id)
    waiting.push(...(graph.getModuleInfo(id)?.importedIds ?? []))
  }
  return found
}

/** The modules that main.tsx reaches by imports and by drawing components. */
function walk(context: Graph): ReadonlySet<string> {
  const start = [...context.getModuleIds()].filter(isMain)
  const found = new Set<string>()
  const waiting = [...start]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id) || later.test(id)) continue
    found.add(id)
    const info = context.getModuleInfo(id)
    waiting.push(...(info?.importedIds ?? []), ...(info?.dynamicallyImportedIds ?? []).filter((segment) => drawn.test(segment)))
  }
  return found
}
