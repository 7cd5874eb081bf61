import { closeSync, openSync, writeSync } from 'node:fs'
import type { Log } from '#kernel'
import { createLog } from '#kernel/host'

interface DevLog extends Disposable {
  readonly log: Log
  /** Appends a line of another process. */
  writeLine(line: string): void
}

const shownLevels = new Set(['WARN', 'ERROR'])

/** Writes every line to the file, which starts empty with each run. `show` gets warnings and errors, without the stack. `secrets` are hidden. */
export function openDevLog(path: string, secrets: readonly string[], show: (line: string) => void): DevLog {
  const file = openSync(path, 'w', 0o600)
  let isOpen = true
  const append = (line: string): void => {
    // After the stop the file is closed.
    if (!isOpen) return
    try {
      writeSync(file, line)
    } catch {
      // The line is lost on a full disk, and the run continues.
    }
  }
  const write = (line: string): void => {
    append(line)
    if (shownLevels.has(line.split(/\s+/, 2)[1] ?? '')) show(line.split('\n', 1)[0] ?? '')
  }
  return {
    log: createLog({ level: 'info', format: 'text', secrets, write }),
    writeLine: (line) => append(`${line}\n`),
    [Symbol.dispose]() {
      isOpen = false
      closeSync(file)
    },
  }
}
