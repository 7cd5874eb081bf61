import { type ChildProcess, spawn } from 'node:child_process'

/**
 * Starts a shell that ends a process when this process ends in any way, also by SIGKILL: the shell's standard input closes then.
 * With a directory the process is killed and the directory deleted.
 */
export function endWithOwner(pid: number | undefined, directory?: string): ChildProcess {
  const script = directory === undefined ? `read _; kill -TERM ${pid}` : `read _; kill -KILL ${pid}; rm -rf "$0"`
  return spawn('/bin/sh', ['-c', script, directory ?? 'watch'], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
}
