import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readCheckout } from './checkout.ts'

const hasGit = spawnSync('git', ['--version']).status === 0
const dir = mkdtempSync(join(tmpdir(), 'svc-checkout-'))
const clone = join(dir, 'clone')
const env = { PATH: process.env.PATH, HOME: dir, GIT_CONFIG_NOSYSTEM: '1' }
const identity = ['-c', 'user.name=A > B', '-c', 'user.email=a@example.org']
const git = (cwd: string, ...words: string[]) => execFileSync('git', [...identity, ...words], { cwd, env, encoding: 'utf8' }).trim()
const read = (path: string) => readCheckout(pathToFileURL(`${path}/`))

beforeAll(() => {
  if (!hasGit) return
  mkdirSync(clone)
  git(clone, 'init', '-q', '-b', 'main')
  for (const message of ['one', 'two']) git(clone, 'commit', '-q', '--allow-empty', '-m', message)
})
afterAll(() => rmSync(dir, { recursive: true }))

const checkedOut = (cwd: string) => ({ commit: git(cwd, 'rev-parse', 'HEAD'), buildDate: expect.stringMatching(/^\d{4}-.+T.+\.000Z$/) })

test.runIf(hasGit)('the commit of a clone and the time of its checkout are read', () => {
  expect(read(clone)).toEqual(checkedOut(clone))
  const seconds = Number(git(clone, 'log', '-1', '--format=%ct'))
  expect(Date.parse(read(clone)?.buildDate ?? '') / 1000).toBe(seconds)
})

test.runIf(hasGit)('packed references, a detached HEAD and a linked worktree are supported', () => {
  git(clone, 'pack-refs', '--all')
  expect(read(clone)).toEqual(checkedOut(clone))
  const worktree = join(dir, 'worktree')
  git(clone, 'worktree', 'add', '-q', '-b', 'side', worktree, 'HEAD~1')
  expect(read(worktree)).toEqual(checkedOut(worktree))
  expect(read(worktree)?.commit).not.toBe(read(clone)?.commit)
  git(clone, 'checkout', '-q', '--detach', 'HEAD~1')
  expect(read(clone)).toEqual(checkedOut(clone))
})

test.runIf(hasGit)('without a reference log only the commit is known', () => {
  const bare = join(dir, 'no-log')
  mkdirSync(bare)
  git(bare, 'init', '-q')
  git(bare, '-c', 'core.logAllRefUpdates=false', 'commit', '-q', '--allow-empty', '-m', 'one')
  expect(read(bare)).toEqual({ commit: git(bare, 'rev-parse', 'HEAD'), buildDate: 'unknown' })
})

test('an unpacked release, also inside another clone, has no checkout', () => {
  const inside = join(clone, 'vendor')
  mkdirSync(inside, { recursive: true })
  expect(read(inside)).toBeUndefined()
  const broken = join(dir, 'broken')
  mkdirSync(broken)
  writeFileSync(join(broken, '.git'), 'gitdir: /nowhere\n')
  expect(read(broken)).toBeUndefined()
})
