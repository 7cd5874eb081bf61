import { debuglog } from 'node:util'
import { CommandError, PluginGraphError, SvcError } from '#kernel'

const debug = debuglog('svc')

/** Writes `fatal: <message>` as one line and returns the exit code: 2 for wrong use, 1 for everything else. `NODE_DEBUG=svc` adds the stack. */
export function reportError(error: unknown, write: (line: string) => void): number {
  // Part of it may come from a stranger, and a terminal obeys control characters.
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
  // These name their cause themselves; of others the cause is often the only part that says what happened.
  const isComplete = error instanceof CommandError || error instanceof SvcError || error instanceof PluginGraphError
  if (isComplete || error.cause === undefined) return error.message || error.name
  return `${error.message}: ${describe(error.cause)}`
}
