/** Runs `svc` as this process. Its streams, umask and signals are set up here only, so that `main` also runs inside a test. */
import { main } from './main.ts'

export async function runProcess(): Promise<number> {
  // Files that libraries create are private too.
  process.umask(0o077)
  // A closed pipe, as from `svc … | head`, ends the command with success.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  // When the disk of the log is full, the line is lost and the service continues.
  process.stderr.on('error', () => {})
  // With a listener, exceeding the file-size limit fails the write instead of ending the process.
  process.on('SIGXFSZ', () => {})
  return main(process.argv.slice(2), process.env, process)
}
