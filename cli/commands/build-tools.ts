/** The packages that a build of the dashboard needs. svc does not contain them: the author of pages has them as development dependencies. */
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { CommandError } from '#kernel'

interface BuildTool {
  readonly name: string
  /** Resolved, because the tool finds its own packages from there. */
  readonly folder: string
}

interface Manifest {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
}

/**
 * Finds each package of the manifest of the dashboard in the exact version, as Node would from the first of the folders that has it.
 * @throws CommandError with the command that installs the others
 */
export function findBuildTools(manifestPath: string, folders: readonly string[]): readonly BuildTool[] {
  const needed = Object.entries(readManifest(manifestPath).dependencies)
  const found = needed.map(([name, version]) => ({ name, version, places: folders.flatMap((folder) => listPlaces(name, folder)) }))
  const tools = found.flatMap(({ name, version, places }) => {
    const right = places.find((place) => readManifest(join(place, 'package.json')).version === version)
    return right === undefined ? [] : [{ name, folder: realpathSync(right) }]
  })
  const absent = found.filter(({ name }) => !tools.some((tool) => tool.name === name))
  if (absent.length > 0) throw new CommandError(adviseInstall(absent, folders[0] ?? '.'))
  return tools
}

interface AbsentTool {
  readonly name: string
  readonly version: string
  /** Where other versions are. */
  readonly places: readonly string[]
}

function adviseInstall(absent: readonly AbsentTool[], folder: string): string {
  const states = absent.map(({ name, version, places: [place] }) =>
    place === undefined
      ? `${name} ${version} is missing`
      : `${name} is ${readManifest(join(place, 'package.json')).version}, not ${version}`,
  )
  const packages = absent.map(({ name, version }) => `${name}@${version}`)
  return `svc does not contain the tools that build a dashboard: ${states.join(', ')}. Run in ${folder}: npm install --save-dev --save-exact ${packages.join(' ')}`
}

/** The installed packages of the name, nearest first. */
const listPlaces = (name: string, folder: string): readonly string[] =>
  (createRequire(join(folder, 'package.json')).resolve.paths(name) ?? [])
    .map((modules) => join(modules, name))
    .filter((place) => existsSync(join(place, 'package.json')))

const readManifest = (path: string): Manifest => JSON.parse(readFileSync(path, 'utf8')) as Manifest
