// Adds the platform packages that a registry mirror did not list to package-lock.json, so that `npm ci` accepts the lockfile everywhere.
// npm leaves out an optional dependency it cannot fetch and then refuses the lockfile it wrote itself. Run after every dependency change.
import { readFileSync, writeFileSync } from 'node:fs'

const path = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(path, 'utf8'))
const oses = { darwin: 'darwin', linux: 'linux', win32: 'win32', freebsd: 'freebsd', android: 'android' }
const cpus = { amd64: 'x64', x64: 'x64', arm64: 'arm64', arm: 'arm', ia32: 'ia32' }
const added = []

for (const [owner, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (isListed(owner, name)) continue
    const words = name.split(/[-/]/)
    lock.packages[`node_modules/${name}`] = {
      version,
      cpu: words.filter((word) => word in cpus).map((word) => cpus[word]),
      dev: entry.dev,
      optional: true,
      os: words.filter((word) => word in oses).map((word) => oses[word]),
    }
    added.push(name)
  }
}

/** Looks the name up as Node would: in the owner's own node_modules and then in each parent's. */
function isListed(owner, name) {
  for (let base = owner; ; base = base.includes('/node_modules/') ? base.slice(0, base.lastIndexOf('/node_modules/')) : '') {
    if (lock.packages[`${base ? `${base}/` : ''}node_modules/${name}`]) return true
    if (base === '') return false
  }
}

lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`)
process.stdout.write(added.length === 0 ? 'lockfile is complete\n' : `added to the lockfile: ${added.join(', ')}\n`)
