#!/usr/bin/env node
// The program `svc`. Plain JavaScript, because it also runs on a Node that is too old for the rest: it then starts itself on the pinned one.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

const nodeMajorMin = 24
/** Threads for file and hash work. Node's default of 4 would make fsync wait behind reads. */
const poolThreads = '64'
const endMsMax = 1000

// Effective only while nothing has used the pool yet, so it comes before every import of the program.
process.env.UV_THREADPOOL_SIZE ??= poolThreads

if (Number(process.versions.node.split('.')[0]) >= nodeMajorMin) {
  module.enableCompileCache()
  const { runProcess } = await import('./run-process.ts')
  process.exitCode = await runProcess()
  // All is closed by now: a timer that a library forgot must not keep the operator waiting. Does nothing when nothing is left.
  setTimeout(() => process.exit(), endMsMax).unref()
} else {
  await runOnPinnedNode()
}

async function runOnPinnedNode() {
  const { pinnedNode } = await import('./pinned-node.js')
  if (!existsSync(pinnedNode)) {
    process.stderr.write(
      `fatal: svc needs Node ${nodeMajorMin} or later; this is ${process.version}. Install it, or run \`npm ci\` here.\n`,
    )
    process.exitCode = 1
    return
  }
  const child = spawn(pinnedNode, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  // A terminal sends Ctrl-C to both processes, and the child ends itself; what is sent to this process alone is passed on.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.on('error', (error) => {
    process.stderr.write(`fatal: ${pinnedNode} cannot be started: ${error.message}\n`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1)))
}
