import { existsSync, realpathSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { shellWord } from './shell-word.ts'

/** A portable archive has its own Node and a script that starts it. */
const programs = ['../bin/svc', './svc.js'].map((path) => fileURLToPath(new URL(path, import.meta.url)))
const program = programs.find((path) => existsSync(path)) ?? ''

/** The shell command that starts this program from any directory: `svc` if the PATH has it, else its quoted path. */
export function programName({ PATH = '' }: Readonly<Record<string, string | undefined>>): string {
  const first = PATH.split(delimiter)
    .filter((dir) => dir !== '')
    .map((dir) => realPath(join(dir, 'svc')))
    .find((path) => path !== undefined)
  if (first === realPath(program)) return 'svc'
  return shellWord(program)
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
