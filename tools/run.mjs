// Runs a program of this project on the pinned Node, installing the dependencies first when they are missing or stale.
// Plain JavaScript for Node 18 and later: it must run before anything is installed.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { nodeFlags, pinnedNode } from '../cli/pinned-node.js'
import { supervise } from '../cli/supervise.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const parentPollMs = 1000
const stamp = `${root}node_modules/.svc-install`

if (Number(process.versions.node.split('.')[0]) < 18) stop(`svc needs Node 18 or later to bootstrap itself; this is ${process.version}.`)

const lockfile = `${root}package-lock.json`
const wanted = createHash('sha256').update(readFileSync(lockfile)).digest('hex')
if (!isInstalled()) {
  for (const path of [root, `${root}node_modules`]) requireRights(path)
  process.stderr.write('svc: installing dependencies (once, about a minute)…\n')
  const npm = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (npm.status !== 0) stop('`npm ci` failed; its message is above. Run `npm ci` by hand once it is fixed, then try again.')
  if (!existsSync(pinnedNode)) {
    stop(
      `npm did not install ${pinnedNode}: the lockfile pins Node for Linux and macOS on x64 and arm64, as optional packages. Run \`npm ci\` without --omit=optional.`,
    )
  }
  writeFileSync(stamp, wanted)
}

const [program, ...args] = process.argv.slice(2)
const isSvc = program === 'cli/svc.js'
const child = supervise([...(isSvc ? nodeFlags : []), `${root}${program}`, ...args], {
  env: { ...process.env, PATH: `${root}node_modules/.bin:${process.env.PATH}` },
  endsWithPipe: isSvc,
})
if (process.env.npm_lifecycle_script?.includes('tools/run.mjs')) endWithNpm()

/** npm waits for its script, so a new parent means that npm was killed. Elsewhere a parent may end first, such as a shell after `nohup … &`. */
function endWithNpm() {
  const npm = process.ppid
  setInterval(() => {
    if (process.ppid !== npm) child.kill('SIGTERM')
  }, parentPollMs).unref()
}

/** True when our stamp matches the lockfile, or when npm's record of a manual `npm ci` is newer than the lockfile. */
function isInstalled() {
  if (!existsSync(pinnedNode)) return false
  if (existsSync(stamp)) return readFileSync(stamp, 'utf8') === wanted
  const record = `${root}node_modules/.package-lock.json`
  return existsSync(record) && statSync(record).mtimeMs >= statSync(lockfile).mtimeMs
}

/** Npm fails with many lines in a clone of another user. */
function requireRights(path) {
  if (!existsSync(path)) return
  try {
    accessSync(path, constants.W_OK)
  } catch {
    stop(
      `the dependencies must be installed, but ${path} cannot be written: its owner has the user ID ${statSync(path).uid}, this process ${process.getuid()}. Run this as its owner, or in a clone of your own.`,
    )
  }
}

function stop(message) {
  process.stderr.write(`svc: ${message}\n`)
  process.exit(1)
}
