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
  const write = (line: string): void => {
    writeSync(file, line)
    if (shownLevels.has(line.split(/\s+/, 2)[1] ?? '')) show(line)
  }
  return {
    log: createLog({ level: 'info', format: 'text', secrets, write }),
    writeLine: (line) => void writeSync(file, `${line}\n`),
    [Symbol.dispose]: () => closeSync(file),
  }
}
