/** Keeps the places that the program computes from its own files, although a bundle moves the code to other files. */
import { readFileSync } from 'node:fs'
import { extname, relative } from 'node:path'
import { type Plugin, transform } from 'esbuild'
import { root } from '../source-files.ts'
import { lazyImport } from './lazy-packages.ts'
import { toBuilt } from './package-shape.ts'

/** Stands for the way from an output file to the folder of the package, until the output file is known. */
const placeMark = '@svc-package@'
const own = /\/(kernel|plugins|cli|devnet)\/.*\.[jt]s$/
const asksPlace = /import\.meta\.(url|dirname|filename)|lazyPackage</

/** A source that asks for its address gets that of the same path in the package: workers, pages and packages are found from there. */
export const keepPlaces: Plugin = {
  name: 'keep-places',
  setup(build) {
    build.onLoad({ filter: own }, async ({ path }) => {
      const place = relative(root, path)
      const source = readFileSync(path, 'utf8')
      if (place.startsWith('..') || place.startsWith('node_modules') || !asksPlace.test(source)) return undefined
      const { code } = await transform(source, {
        loader: extname(path) === '.js' ? 'js' : 'ts',
        format: 'esm',
        target: 'node24',
        define: { 'import.meta.url': 'svcUrl', 'import.meta.dirname': 'svcFolder', 'import.meta.filename': 'svcPath' },
        banner: renderPlace(source, toBuilt(place)),
      })
      return { contents: nameLazyImports(code), loader: 'js' }
    })
  },
}

function renderPlace(source: string, place: string): string {
  const url = `new URL(${JSON.stringify(`${placeMark}/${place}`)}, import.meta.url)`
  const facts = {
    'import.meta.url': `const svcUrl = ${url}.href;`,
    'import.meta.dirname': `const svcFolder = process.getBuiltinModule('node:url').fileURLToPath(new URL('.', ${url}));`,
    'import.meta.filename': `const svcPath = process.getBuiltinModule('node:url').fileURLToPath(${url});`,
  }
  return Object.entries(facts)
    .flatMap(([asked, line]) => (source.includes(asked) ? [line] : []))
    .join('\n')
}

const nameLazyImports = (code: string): string =>
  code.replace(/\blazyPackage\("([^"]+)"\)/g, (_call, name: string) => `lazyPackage(${JSON.stringify(lazyImport(name))})`)

/** @param path of the output file, relative to the package */
export function resolvePlaces(code: string, path: string): string {
  const steps = path.split('/').length - 1
  return code.replaceAll(placeMark, steps === 0 ? '.' : Array(steps).fill('..').join('/'))
}
