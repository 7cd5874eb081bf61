/** How the commands of a recipe are run. */
import { existsSync, symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Client, Language, Program, Step } from '../client.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

const script = ({ settings }: Client, { commands }: Step): string => `${settings}\n${commands}\n`

export const shell: Language = {
  fence: 'sh',
  command: (client, step) => ['bash', '--norc', '-euo', 'pipefail', '-c', script(client, step)],
}

export const python: Language = {
  fence: 'python',
  command: (client, step) => ['python3', '-c', script(client, step)],
}

/** Modules that import packages from the `node_modules` which has this one. */
export const javascript = (packageName: string): Language => ({
  fence: 'js',
  prepare: async (_client, { dir }) => {
    const modules = findModules(packageName)
    if (modules === undefined) throw new Error(`there is no package ${packageName}`)
    symlinkSync(modules, join(dir, 'node_modules'))
  },
  command: (client, step) => [process.execPath, '--input-type=module', '-e', script(client, step)],
})

/** Node, where the package is installed. */
export const nodeWith = (packageName: string): Program => ({
  name: 'node',
  versionArgs: [
    '-p',
    `JSON.parse(fs.readFileSync(${JSON.stringify(join(findModules(packageName) ?? '', packageName, 'package.json'))})).version`,
  ],
  version: /^\d/,
})

/** Looks in this project, then in the directories of NODE_PATH. */
const findModules = (packageName: string): string | undefined =>
  [join(root, 'node_modules'), ...(process.env.NODE_PATH ?? '').split(delimiter)].find(
    (path) => path !== '' && existsSync(join(path, packageName, 'package.json')),
  )
