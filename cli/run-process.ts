/** Runs `svc` as this process. Its streams, umask and signals are set up here only, so that `main` also runs inside a test. */
import { main } from './main.ts'

export async function runProcess(): Promise<number> {
  // Files that libraries create are private too.
  process.umask(0o077)
  process.stdout.on('error', endAtOutputError)
  // When the disk of the log is full, the line is lost and the service continues.
  process.stderr.on('error', () => {})
  // A listener makes a write above the file-size limit fail instead of ending the process.
  process.on('SIGXFSZ', () => {})
  const code = await main(process.argv.slice(2), process.env, process)
  // A pipe takes 64 KiB at once: the process must not end before its reader, such as `less`, has read the rest.
  if (process.stdout.writableLength > 0) await new Promise((resolve) => process.stdout.write('', resolve))
  return code
}

/** A closed pipe, as from `svc … | head`, ends the command with success. */
function endAtOutputError(error: NodeJS.ErrnoException): never {
  if (error.code === 'EPIPE') process.exit(0)
  process.stderr.write(`fatal: standard output cannot be written: ${error.message}\n`)
  process.exit(1)
}
