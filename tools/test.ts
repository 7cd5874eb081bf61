/** `npm test`: all tests; with folders or files as arguments, exactly those. Other arguments go to vitest. */
import { statSync } from 'node:fs'
import { resolve, sep } from 'node:path'

process.argv.splice(2, Infinity, 'run', ...process.argv.slice(2).map(toFilter))
await import('../node_modules/vitest/vitest.mjs' as string)

/** vitest takes a relative filter as a part of any path; an absolute one as the beginning. */
function toFilter(argument: string): string {
  const stats = statSync(argument, { throwIfNoEntry: false })
  if (argument.startsWith('-') || stats === undefined) return argument
  return stats.isDirectory() ? resolve(argument) + sep : resolve(argument)
}
