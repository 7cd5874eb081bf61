/** What the npm package is: its name, its entries and the packages that it does not contain. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../source-files.ts'

/** The npm name `svc` is taken. Plugins import `svc/…`, which the program resolves to itself under any name. */
export const packageName = '@svc-gateway/svc'

interface ProjectManifest {
  readonly version: string
  readonly description: string
  readonly license: string
  readonly exports: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

export const readProject = (): ProjectManifest => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** Native addons: they are loaded from their own folder, for the platform of the installation. */
export const nativePackages = ['better-sqlite3', '@chainsafe/hashtree'] as const
/** The local chain of `svc dev` is a program of 43 MB that a gateway never needs. */
export const chainPackage = '@foundry-rs/anvil'

/** Programs and threads that are started by their path. */
const programs = ['cli/svc.js', 'devnet/main.ts', 'kernel/db/reading-worker.ts']
const threads = ['plugins/storage/cache/transfer/digest-worker.ts', 'plugins/replication/pieces/piece-worker.ts']

/** Sources of the doors that `exports` names, with `*` for every plugin with a contract. */
export function findDoors(): readonly string[] {
  return Object.values(readProject().exports)
    .flatMap((path) => globSync(path, { cwd: root }))
    .sort()
}

/** The door for pages is a source in the package too: a build of the dashboard compiles it. */
export const isPageDoor = (path: string): boolean => /^(\.\/)?ui\//.test(path)

/** Each is a file of the same path in the package. */
export const findEntries = (): readonly string[] => [...programs, ...threads, ...findDoors().filter((path) => !isPageDoor(path))]

/** The path of a source, as the package has it. */
export const toBuilt = (path: string, extension = '.js'): string => path.replace(/\.[jt]sx?$/, extension)
