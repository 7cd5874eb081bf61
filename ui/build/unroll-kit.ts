import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'
import { uiFolder } from './build-paths.ts'

const door = join(uiFolder, 'src/kit.ts')
/** Built-in pages write `@svc/ui-kit`, those of packages `svc/ui-kit`, or the npm name of svc. */
export const kitNames = /^(@svc|svc|@svc-gateway\/svc)\/ui-kit$/
const importPattern = /import\s*\{([^}]*)\}\s*from\s*(['"])(?:@svc|svc|@svc-gateway\/svc)\/ui-kit\2/g

/** Replaces imports from the door of the kit by imports from its files, so that a page loads only the components that it uses. */
export const unrollKit = (): Plugin => ({
  name: 'svc-unroll-kit',
  enforce: 'pre',
  transform(code, id) {
    if (!/\.tsx?$/.test(id) || !code.includes('/ui-kit')) return undefined
    const files = readDoor()
    return { code: code.replace(importPattern, (_text, names: string) => unroll(names, files)), map: null }
  },
})

/** `Card, type Tone` → an import from the file of each name. */
function unroll(names: string, files: ReadonlyMap<string, string>): string {
  const imports = valuesOf(names).map((name) => {
    const exported = name.split(/\s+as\s+/)[0] ?? name
    const file = files.get(exported)
    if (!file) throw new Error(`@svc/ui-kit has no ${exported}.`)
    return `import { ${name} } from ${JSON.stringify(file)}`
  })
  return imports.join(';')
}

/** Name → file. */
const readDoor = (): ReadonlyMap<string, string> =>
  new Map(
    [...readFileSync(door, 'utf8').matchAll(/export\s*\{([^}]*)\}\s*from\s*'([^']+)'/g)].flatMap(([, names = '', from = '']) =>
      valuesOf(names).map((name) => [name, join(dirname(door), from)] as const),
    ),
  )

/** The listed names without types. */
const valuesOf = (names: string): readonly string[] =>
  names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
