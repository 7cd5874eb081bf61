import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../source-files.ts'
import { chainPackage, isPageDoor, nativePackages, packageName, readProject, toBuilt } from './package-shape.ts'

/** The oldest Node that runs the program: `using` declarations, and `require` of ES modules. */
const engines = { node: '>=24' }

/** The package.json of the package. */
export function createPackageManifest(): Readonly<Record<string, unknown>> & { readonly dependencies: Readonly<Record<string, string>> } {
  const project = readProject()
  const doors = Object.entries(project.exports).map(([name, path]) => [name, toConditions(path)] as const)
  return {
    name: packageName,
    version: project.version,
    description: project.description,
    license: project.license,
    keywords: ['s3', 'filecoin', 'object-storage', 'gateway'],
    type: 'module',
    engines,
    os: ['linux', 'darwin'],
    bin: { svc: 'cli/svc.js' },
    exports: { ...Object.fromEntries(doors), './package.json': './package.json' },
    // Declarations name other parts as the sources do; `lazy` is loaded by the program.
    imports: {
      ...Object.fromEntries(
        doors.filter(([name]) => name !== './ui-kit').map(([name, conditions]) => [name.replace('./', '#'), conditions]),
      ),
      '#lazy/*': './lazy/*.js',
    },
    dependencies: Object.fromEntries(nativePackages.map((name) => [name, installedVersion(name)])),
    peerDependencies: { [chainPackage]: installedVersion(chainPackage) },
    peerDependenciesMeta: { [chainPackage]: { optional: true } },
  }
}

const toConditions = (path: string) => ({
  types: `./types/${toBuilt(path, '.d.ts').slice(2)}`,
  default: isPageDoor(path) ? path : toBuilt(path),
})

/** The lockfile has chosen it. */
const installedVersion = (name: string): string =>
  (JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as { readonly version: string }).version
