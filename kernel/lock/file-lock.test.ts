import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { LockedError, lockFile } from './file-lock.ts'

const module = fileURLToPath(new URL('./file-lock.ts', import.meta.url))

function newDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'svc-lock-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** A process of its own that holds the lock until it is killed. */
async function holdElsewhere(path: string, uid?: number) {
  const code = `const { lockFile } = await import(${JSON.stringify(module)}); globalThis.held = lockFile(${JSON.stringify(path)})
    console.log('held'); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let complaint = ''
  child.stderr.on('data', (data) => {
    complaint += data
  })
  const refused = once(child, 'close').then(() => Promise.reject(new Error(complaint)))
  await Promise.race([once(child.stdout, 'data'), refused])
  refused.catch(() => {})
  return child
}

function refusal(path: string): LockedError {
  try {
    lockFile(path)[Symbol.dispose]()
  } catch (error) {
    if (error instanceof LockedError) return error
    throw error
  }
  throw new Error('the lock was free')
}

test('a lock held by another process is refused with its name, and free once that process is killed', async () => {
  const path = join(newDir(), 'data', 'svc.lock')
  const other = await holdElsewhere(path)
  expect(refusal(path).holder).toMatchObject({ pid: other.pid, host: hostname() })
  other.kill('SIGKILL')
  await once(other, 'exit')
  // The killed process left its note, which must not count.
  expect(existsSync(`${path}.holder`)).toBe(true)
  using _held = lockFile(path)
  expect(refusal(path).holder).toMatchObject({ pid: process.pid })
})

test('a second lock in the same process is refused until the first is released', () => {
  const path = join(newDir(), 'svc.lock')
  const first = lockFile(path)
  expect(refusal(path)).toBeInstanceOf(LockedError)
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  using _second = lockFile(path)
})

test('the lock file stays empty and private, and no other file remains', () => {
  const dir = newDir()
  const path = join(dir, 'svc.lock')
  lockFile(path)[Symbol.dispose]()
  expect(readdirSync(dir)).toEqual(['svc.lock'])
  expect([statSync(path).size, statSync(path).mode & 0o777]).toEqual([0, 0o600])
})

test('with a damaged holder note the lock is still refused', () => {
  const path = join(newDir(), 'svc.lock')
  using _held = lockFile(path)
  writeFileSync(`${path}.holder`, '{"pid":')
  expect(refusal(path).holder).toBeUndefined()
})

test('a lock that fails for another reason names its file', () => {
  const dir = newDir()
  writeFileSync(join(dir, 'svc.lock'), 'no database at all '.repeat(100))
  expect(() => lockFile(join(dir, 'svc.lock'))).toThrow(`${join(dir, 'svc.lock')} cannot be locked`)
})

test('a lock whose holder note cannot be written is still held, and an old note is not used', async () => {
  const dir = newDir()
  // The temporary file beside a note of this name has a name that is too long.
  const path = join(dir, 'l'.repeat(240))
  writeFileSync(`${path}.holder`, JSON.stringify({ pid: 1, host: 'elsewhere', since: 'before' }))
  const warned = once(process, 'warning')
  using _held = lockFile(path)
  expect(String((await warned)[0])).toContain('could not be written, so another svc is refused')
  expect(refusal(path).holder).toBeUndefined()
})

describe.skipIf(process.getuid?.() !== 0)('as root', () => {
  const serviceUser = 54_321

  function serviceDir(): string {
    const dir = newDir()
    chownSync(dir, serviceUser, serviceUser)
    return dir
  }

  test('a lock file created by root can be used by the service user', async () => {
    const path = join(serviceDir(), 'data', 'svc.lock')
    lockFile(path)[Symbol.dispose]()
    expect(statSync(path)).toMatchObject({ uid: serviceUser, gid: serviceUser })
    await holdElsewhere(path, serviceUser)
    expect(refusal(path).holder).toMatchObject({ host: hostname() })
  })

  test('an accessible lock file of root is used; an inaccessible one is refused with its owner', async () => {
    const path = join(serviceDir(), 'svc.lock')
    writeFileSync(path, '')
    for (const mode of [0o600, 0o644]) {
      chmodSync(path, mode)
      await expect(holdElsewhere(path, serviceUser)).rejects.toThrow(
        `${path} cannot be locked: it belongs to user 0, and svc runs as user ${serviceUser}; change the owner`,
      )
    }
    chmodSync(path, 0o666)
    await holdElsewhere(path, serviceUser)
  })

  test('with an unreadable holder note the lock is still refused', async () => {
    const path = join(serviceDir(), 'svc.lock')
    using _held = lockFile(path)
    chownSync(`${path}.holder`, 0, 0)
    await expect(holdElsewhere(path, serviceUser)).rejects.toThrow(`the lock ${path} is held`)
  })
})
