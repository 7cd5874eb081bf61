/** Sources of plugins that a type check accepts, and of others with known mistakes. */
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageName } from '../../tools/pack/package-shape.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Packages whose types the declarations of svc show. */
const shown = ['@builder.io/qwik', 'arktype', 'fastify']

/** Returns the paths of a right and of a wrong file. */
export function writePlugin(folder: string): readonly string[] {
  return writeFiles(folder, {
    'right.ts': `import { definePlugin, type Plugin } from '${packageName}/kernel'
      import { objects } from '${packageName}/plugins/storage'
      export const plugin: Plugin = definePlugin({ id: 'typed', contributes: [] })
      export const used: typeof objects = objects`,
    'wrong.ts': `import { definePlugin } from '${packageName}/kernel'
      import { objects } from '${packageName}/plugins/storage'
      export const plugin = definePlugin({ id: 1, contributes: [] })
      export const used: number = objects`,
  })
}

/**
 * Returns the paths of the pages of an example, of an endpoint, and of a wrong file.
 * @param installed the folder of svc, which gets the name that plugins import
 */
export function writePages(folder: string, installed: string): readonly string[] {
  // A copy, because TypeScript looks for the packages that it shows beside it.
  for (const part of ['package.json', 'types']) cpSync(join(installed, part), join(folder, 'node_modules/svc', part), { recursive: true })
  for (const name of shown) link(join(folder, 'node_modules', name), join(root, 'node_modules', name))
  const ui = join(folder, 'ui')
  cpSync(join(root, 'examples/plugin-legal-hold/ui'), ui, { recursive: true })
  const further = writeFiles(ui, {
    'hold-api.ts': `import { defineEndpoint } from 'svc/kernel'
      import { type } from 'svc/kernel/schema'
      export const listHolds = defineEndpoint({ method: 'GET', path: '/api/v1/holds', summary: 'Holds', answer: type({ held: 'number' }) })`,
    'wrong.ts': `import { type Answer, call, definePluginUi, type EndpointsOf } from 'svc/ui-kit'
      declare module 'svc/ui-kit' {
        interface Endpoints extends EndpointsOf<typeof import('./hold-api.ts')> {}
      }
      export const held: Answer<'GET /holds'>['held'] = 'none'
      export const bucket: Answer<'GET /buckets'>[number]['name'] = 1
      export const none = call('GET /nothing')
      export default definePluginUi({ nav: [{ to: '/holds', label: 'Holds', icon: 'no-icon', order: 1 }] })`,
  })
  return [join(ui, 'index.ts'), ...further]
}

function writeFiles(folder: string, texts: Readonly<Record<string, string>>): readonly string[] {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), `${text}\n`)
  return Object.keys(texts).map((name) => join(folder, name))
}

function link(path: string, target: string): void {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}
