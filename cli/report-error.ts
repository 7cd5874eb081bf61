import { debuglog } from 'node:util'
import { CommandError, SvcError } from '#kernel'
import { PluginGraphError } from '#kernel/host'

const debug = debuglog('svc')

/** Writes `fatal: <message>` as one line and returns the exit code: 2 for a usage error, 1 for any other. `NODE_DEBUG=svc` adds the stack. */
export function reportError(error: unknown, write: (line: string) => void): number {
  // Part of the message may be untrusted, and a terminal interprets control characters.
  const line = describe(error)
    .replace(/[^\P{Cc}\n]+/gu, '')
    .split('\n')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('; ')
  write(`fatal: ${line}\n`)
  debug('%s', error instanceof Error ? error.stack : error)
  return error instanceof CommandError ? error.exitCode : 1
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // These messages include their cause. For other errors the cause is often the only useful part.
  const isComplete = error instanceof CommandError || error instanceof SvcError || error instanceof PluginGraphError
  if (isComplete || error.cause === undefined) return error.message || error.name
  return `${error.message}: ${describe(error.cause)}`
}
