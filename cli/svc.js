#!/usr/bin/env -S node --max-semi-space-size=8 --max-old-space-size=1024
// The program `svc`. Plain JavaScript, so that a Node too old for TypeScript can run it: it then starts itself on the pinned Node.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const nodeMajorMin = 24
/** Threads for file and hash work. With Node's default of 4, fsync waits behind reads. */
const poolThreads = '64'
/** An upgrade waits for the end of the process. */
const endMsMax = 100
const root = fileURLToPath(new URL('..', import.meta.url))
/** An installed package has no lockfile. */
const isClone = existsSync(new URL('../package-lock.json', import.meta.url))

// Effective only before the first use of the pool, so it precedes the imports of the program.
process.env.UV_THREADPOOL_SIZE ??= poolThreads

if (Number(process.versions.node.split('.')[0]) < nodeMajorMin) {
  await runOnPinnedNode()
} else if (isClone && !existsSync(new URL('../node_modules', import.meta.url))) {
  process.stderr.write(`fatal: svc is not installed; run \`npm ci\` in ${root}\n`)
  process.exitCode = 1
} else {
  if (process.env.SVC_SUPERVISOR_PIPE !== undefined) (await import('./supervise.js')).endWithSupervisor()
  const { enableCompileCache } = await import('./compile-cache.js')
  enableCompileCache()
  if (!isClone) (await import('./own-imports.js')).resolveOwnImports(new URL('..', import.meta.url).href)
  const { runProcess } = await import('./run-process.ts')
  process.exitCode = await runProcess()
  // Ends the process if a library left a timer or a request to a chain node running.
  setTimeout(() => process.exit(), endMsMax).unref()
}

async function runOnPinnedNode() {
  const { nodeFlags, pinnedNode } = await import('./pinned-node.js')
  if (!existsSync(pinnedNode)) {
    process.stderr.write(
      `fatal: svc needs Node ${nodeMajorMin} or later; this is ${process.version}. Install it${isClone ? `, or run \`npm ci\` in ${root}` : ''}\n`,
    )
    process.exitCode = 1
    return
  }
  const { supervise } = await import('./supervise.js')
  supervise([...nodeFlags, fileURLToPath(import.meta.url), ...process.argv.slice(2)], { endsWithPipe: true })
}
