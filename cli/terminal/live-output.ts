/** Output of commands that write more than once. */
import type { Output } from '#kernel'

interface LiveSink {
  readonly isTTY?: boolean
  readonly rows?: number
  /** False: 'drain' tells when the reader can take more. */
  write(part: string | Uint8Array): unknown
  once?(event: 'drain', listener: () => void): unknown
}

interface LiveSinks {
  readonly isJson: boolean
  readonly stdout: LiveSink
  readonly stderr: LiveSink
}

const clearScreen = '\u001b[H\u001b[J'
const clearLine = '\r\u001b[K'

export function createLiveOutput({ isJson, stdout, stderr }: LiveSinks): Pick<Output, 'write' | 'refresh' | 'progress'> {
  return {
    async write(part) {
      const { promise, resolve } = Promise.withResolvers<void>()
      if (stdout.write(part) !== false || !stdout.once) return
      stdout.once('drain', resolve)
      await promise
    },
    refresh(text) {
      stdout.write(clearScreen + fitRows(text, stdout.rows))
    },
    progress: stderr.isTTY === true && !isJson ? (line) => void stderr.write(clearLine + line) : undefined,
  }
}

/** A text that is taller than the terminal would scroll away its first lines. */
function fitRows(text: string, rows: number | undefined): string {
  const lines = text.split('\n')
  if (!rows || lines.length < rows) return `${text}\n`
  const shown = lines.slice(0, Math.max(rows - 2, 1))
  return `${[...shown, `… ${lines.length - shown.length} more lines`].join('\n')}\n`
}
