import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'
import { uiFolder } from './build-paths.ts'

const door = join(uiFolder, 'src/kit.ts')
const inner = join(uiFolder, 'src/kit/index.ts')
const importPattern = /import\s*\{([^}]*)\}\s*from\s*'(@svc\/ui-kit|(?:\.\.?\/)+(?:[\w-]+\/)*kit\/index\.ts)'/g

/** Replaces imports from the door of the kit by imports from its files, so that a page loads only the components that it uses. */
export const unrollKit = (): Plugin => ({
  name: 'svc-unroll-kit',
  enforce: 'pre',
  transform(code, id) {
    if (!/\.tsx?$/.test(id) || !importPattern.test(code)) return undefined
    importPattern.lastIndex = 0
    const files = new Map([...readDoor(door), ...readDoor(inner)])
    return { code: code.replace(importPattern, (_text, names: string) => unroll(names, files)), map: null }
  },
})

/** `Card, type Tone` → an import from the file of each name. */
function unroll(names: string, files: ReadonlyMap<string, string>): string {
  const wanted = splitNames(names).filter((name) => !name.startsWith('type '))
  const imports = wanted.map((name) => {
    const exported = name.split(/\s+as\s+/)[0] ?? name
    const file = files.get(exported)
    if (!file) throw new Error(`@svc/ui-kit has no ${exported}.`)
    return `import { ${name} } from ${JSON.stringify(file)}`
  })
  return imports.join(';')
}

/** Name → file, of a module that only exports from others. */
function readDoor(path: string): ReadonlyMap<string, string> {
  const text = readFileSync(path, 'utf8')
  const listed = [...text.matchAll(/export\s+(type\s+)?\{([^}]*)\}\s*from\s*'([^']+)'/g)].flatMap(([, isType, names = '', from = '']) =>
    isType ? [] : splitNames(names).map((name) => [name, join(dirname(path), from)] as const),
  )
  const starred = [...text.matchAll(/export\s*\*\s*from\s*'([^']+)'/g)].flatMap(([, from = '']) => [...readDoor(join(dirname(path), from))])
  return new Map([...starred, ...listed.filter(([name]) => !name.startsWith('type '))])
}

const splitNames = (names: string): readonly string[] =>
  names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
