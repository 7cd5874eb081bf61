import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { requireWritable } from './writable-directory.ts'

const serviceUser = 54_321

function newDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'svc-writable-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

test('a missing directory is made', () => {
  const dir = join(newDir(), 'data', 'cache')
  requireWritable('cache directory', dir)
  requireWritable('cache directory', dir)
})

describe.skipIf(process.getuid?.() !== 0)('as root', () => {
  /** The error of another user. */
  function refusalOf(path: string): string {
    const module = fileURLToPath(new URL('./writable-directory.ts', import.meta.url))
    const code = `const { requireWritable } = await import(${JSON.stringify(module)})
      try { requireWritable('cache directory', ${JSON.stringify(path)}) } catch (error) { console.log(error.message) }`
    const line = ['--input-type=module', '-e', code]
    return spawnSync(process.execPath, line, { uid: serviceUser, gid: serviceUser, encoding: 'utf8' }).stdout
  }

  test('a directory of another user is refused with its owner, its rights and the next step', () => {
    const dir = newDir()
    chmodSync(dir, 0o755)
    const reason = `the cache directory ${dir} cannot be written: user ${serviceUser} may not create files there; it belongs to user 0 and has the mode 755; give it to the user`
    expect(refusalOf(dir)).toContain(reason)
    expect(refusalOf(join(dir, 'cache'))).toContain('may not create files there; it belongs to user 0 and has the mode 755')
    chmodSync(dir, 0o777)
    expect(refusalOf(dir)).toBe('')
  })

  test('a disk that is mounted read-only is named', ({ skip }) => {
    const dir = join(newDir(), 'mounted')
    mkdirSync(dir)
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'tmpfs', dir]).status !== 0) skip('mounting is not allowed here')
    onTestFinished(() => void spawnSync('umount', [dir]))
    for (const path of [dir, join(dir, 'cache')]) {
      expect(() => requireWritable('cache directory', path)).toThrow(
        `${path} cannot be written: its disk is mounted read-only; mount it for writing`,
      )
    }
  })
})
