import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { requireOwnDirectory } from './rights.ts'

const me = process.getuid?.()
const isRoot = me === 0
const stranger = 4711

function temporaryDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'svc-rights-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

test.runIf(isRoot)('a directory of another user is refused, also for root', () => {
  const dir = temporaryDir()
  requireOwnDirectory(dir)
  chownSync(dir, stranger, stranger)
  expect(() => requireOwnDirectory(dir)).toThrow(
    `${dir} belongs to another user: its owner has the user ID 4711, this process 0; run svc dev as its owner, or choose a directory of your own with --dir`,
  )
})

/** Runs the check as a user without rights. */
function runAsStranger(call: string): string {
  const code = `import { requireOwnDirectory, requireOwnInstallation } from ${JSON.stringify(new URL('./rights.ts', import.meta.url))}
    try { ${call} } catch (error) { process.stdout.write(error.message) }`
  // The module is loaded before the process gives up its rights.
  const after = code.replace('\n', `\n process.setgroups([]); process.setgid(${stranger}); process.setuid(${stranger});\n`)
  return spawnSync(process.execPath, ['--input-type=module', '-e', isRoot ? after : code], { encoding: 'utf8' }).stdout
}

test('a directory that cannot be made is refused with its reason and the next step', () => {
  const dir = temporaryDir()
  chmodSync(dir, 0o555)
  expect(runAsStranger(`requireOwnDirectory(${JSON.stringify(join(dir, 'clone', '.svc-dev'))})`)).toBe(
    `${dir} cannot be written: its owner has the user ID ${me}, this process ${isRoot ? stranger : me}; run svc dev as its owner, or choose a directory of your own with --dir`,
  )
})

const folders = ['node_modules', 'node_modules/.cache', 'node_modules/.cache/svc-devnet']

test.each(folders)('an installation whose %s cannot be written is refused', (closed) => {
  const dir = temporaryDir()
  chmodSync(dir, 0o755)
  for (const folder of folders) {
    mkdirSync(join(dir, folder))
    chmodSync(join(dir, folder), 0o777)
  }
  const check = `requireOwnInstallation(${JSON.stringify(dir)})`
  chmodSync(join(dir, closed), 0o555)
  // A package is not written.
  expect(runAsStranger(check)).toBe('')
  writeFileSync(join(dir, 'package-lock.json'), '{}')
  chmodSync(join(dir, closed), 0o777)
  expect(runAsStranger(check)).toBe('')
  chmodSync(join(dir, closed), 0o555)
  expect(runAsStranger(check)).toBe(
    `${join(dir, closed)} cannot be written, where svc dev keeps its chain and the dashboard: its owner has the user ID ${me}, this process ${isRoot ? stranger : me}; run svc dev as its owner, or in a clone of your own`,
  )
})
