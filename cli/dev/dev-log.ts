import { closeSync, openSync, writeSync } from 'node:fs'
import { createLog, type Log } from '#kernel'

export interface DevLog extends Disposable {
  readonly log: Log
  /** For lines of another process. */
  writeLine(line: string): void
}

const shownLevels = new Set(['WARN', 'ERROR'])

/** Everything goes to the file, which starts empty with each run; `show` gets what needs attention. `secrets` never pass. */
export function openDevLog(path: string, secrets: readonly string[], show: (line: string) => void): DevLog {
  const file = openSync(path, 'w', 0o600)
  let isOpen = true
  const append = (line: string): void => {
    // What comes after the stop has nowhere to go.
    if (!isOpen) return
    try {
      writeSync(file, line)
    } catch {
      // On a full disk the line is lost; the run goes on.
    }
  }
  const write = (line: string): void => {
    append(line)
    if (shownLevels.has(line.split(/\s+/, 2)[1] ?? '')) show(line)
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
