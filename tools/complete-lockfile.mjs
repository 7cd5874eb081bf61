// Adds the platform packages that a registry mirror did not list to package-lock.json, so that `npm ci` accepts the lockfile everywhere.
// npm leaves out an optional dependency it cannot fetch and then refuses the lockfile it wrote itself. Run after every dependency change.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const path = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(path, 'utf8'))
const oses = new Map([['darwin'], ['linux'], ['win32'], ['win', 'win32'], ['freebsd'], ['android']].map(([word, os = word]) => [word, os]))
const cpus = new Map([['amd64', 'x64'], ['x64'], ['arm64'], ['arm'], ['ia32']].map(([word, cpu = word]) => [word, cpu]))
const viewMs = 60_000
const report = { added: [], completed: [], without: [] }

for (const [owner, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (findEntry(owner, name)) continue
    const words = name.split(/[-/]/)
    lock.packages[`node_modules/${name}`] = {
      version,
      cpu: words.flatMap((word) => cpus.get(word) ?? []),
      // Optional dependencies of the project itself are not development dependencies.
      ...(entry.dev && { dev: true }),
      optional: true,
      os: words.flatMap((word) => oses.get(word) ?? []),
    }
    report.added.push(name)
  }
}

for (const [place, entry] of Object.entries(lock.packages)) {
  if (place === '' || entry.link || entry.integrity !== undefined) continue
  const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const integrity = readIntegrity(name, entry.version)
  if (integrity === undefined) report.without.push(`${name}@${entry.version}`)
  else {
    const { version, ...rest } = entry
    lock.packages[place] = { version, integrity, ...rest }
    report.completed.push(name)
  }
}

/** Looks the name up as Node would: in the owner's own node_modules and then in each parent's. */
function findEntry(owner, name) {
  for (let base = owner; ; base = base.includes('/node_modules/') ? base.slice(0, base.lastIndexOf('/node_modules/')) : '') {
    const entry = lock.packages[`${base ? `${base}/` : ''}node_modules/${name}`]
    if (entry || base === '') return entry
  }
}

/** The hash that the registry publishes for a version; undefined when the registry does not have the version. */
function readIntegrity(name, version) {
  try {
    const text = execFileSync('npm', ['view', `${name}@${version}`, 'dist.integrity', '--json', '--loglevel=silent'], {
      encoding: 'utf8',
      timeout: viewMs,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    return text.trim() === '' ? undefined : JSON.parse(text)
  } catch (error) {
    // E404: a mirror may lack a platform. Any other failure must not omit a hash that exists.
    if (String(error.stdout).includes('E404')) return undefined
    throw new Error(`the registry lookup of ${name}@${version} failed; run this script again`, { cause: error })
  }
}

lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`)
const lines = [
  report.added.length > 0 && `added to the lockfile: ${report.added.join(', ')}`,
  report.completed.length > 0 && `integrity taken from the registry: ${report.completed.join(', ')}`,
  report.without.length > 0 && `the registry has no such version, so integrity is missing: ${report.without.join(', ')}`,
].filter(Boolean)
process.stdout.write(`${lines.length === 0 ? 'lockfile is complete' : lines.join('\n')}\n`)
