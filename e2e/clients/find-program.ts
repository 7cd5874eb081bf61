import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Program } from './client.ts'

const versionMs = 60_000

export interface FoundProgram {
  readonly dir: string
  /** First line of its version. */
  readonly version: string
}

/** The first directory of PATH, or that of this Node, whose program of this name has a matching version. */
export function findProgram({ name, versionArgs, version }: Program): FoundProgram | undefined {
  const dirs = new Set(
    [...(process.env.PATH ?? '').split(delimiter), dirname(process.execPath)].filter((dir) => dir !== '' && existsSync(join(dir, name))),
  )
  for (const dir of dirs) {
    const { stdout, stderr, status } = spawnSync(join(dir, name), versionArgs, { encoding: 'utf8', timeout: versionMs })
    // Some programs print their version to standard error.
    const text = stripVTControlCharacters(`${stdout ?? ''}${stderr ?? ''}`).trim()
    if (status === 0 && version.test(text)) return { dir, version: text.split('\n')[0] ?? '' }
  }
  return undefined
}
