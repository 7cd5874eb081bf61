// Runs a program on the pinned Node in place of this process: signals and the end of either process reach the other. Plain JavaScript for Node 18 and later.
import { spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { constants } from 'node:os'
import { pinnedNode } from './pinned-node.js'

const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']
/** Names the descriptor of a pipe that only the supervisor holds open. The end of the pipe proves its death also after SIGKILL, in every container and session. */
const pipeVariable = 'SVC_SUPERVISOR_PIPE'
const pipeDescriptor = 3

/** @param {readonly string[]} args Those of Node. */
export function supervise(args, { env = process.env, endsWithPipe = false } = {}) {
  const child = spawn(pinnedNode, args, {
    stdio: endsWithPipe ? ['inherit', 'inherit', 'inherit', 'pipe'] : 'inherit',
    env: endsWithPipe ? { ...env, [pipeVariable]: String(pipeDescriptor) } : env,
  })
  // A terminal sends its signals to both processes; the program counts signals that arrive together as one.
  for (const name of passedOn) process.on(name, () => child.kill(name))
  child.on('error', (error) => {
    process.stderr.write(`fatal: ${pinnedNode} cannot be started: ${error.message}\n`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1)))
  return child
}

/** For a program that has the variable: ends it, in order if it can, when its supervisor has ended. */
export function endWithSupervisor() {
  const pipe = new Socket({ fd: Number(process.env[pipeVariable]) })
  // Processes that this one starts do not have the pipe.
  delete process.env[pipeVariable]
  pipe.once('close', () => {
    if (!process.emit('supervisorEnded')) process.kill(process.pid, 'SIGTERM')
  })
  pipe.resume()
  pipe.unref()
}
