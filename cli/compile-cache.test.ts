import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

const { privateCompileCache }: { privateCompileCache: () => string | undefined } = await import(
  new URL('./compile-cache.js', import.meta.url).href
)
const program = fileURLToPath(new URL('./svc.js', import.meta.url))

let base: string
let own: string
let cache: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'svc-compiled-'))
  own = join(base, 'svc')
  cache = join(own, 'compile-cache')
  vi.stubEnv('XDG_CACHE_HOME', base)
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  rmSync(base, { recursive: true })
})

const mode = (path: string) => statSync(path).mode & 0o777

test('the folder is made for this user only, and used again', () => {
  expect([privateCompileCache(), privateCompileCache()]).toEqual([cache, cache])
  expect([mode(own), mode(cache)]).toEqual([0o700, 0o700])
  chmodSync(cache, 0o755)
  expect(privateCompileCache()).toBe(cache)
})

function replaceCache(make: () => void): void {
  rmSync(cache, { recursive: true })
  make()
}

test.each([
  ['that its group can write to', () => chmodSync(cache, 0o770)],
  ['that all can write to', () => chmodSync(cache, 0o777)],
  ['in a folder that all can write to', () => chmodSync(own, 0o777)],
  ['of another user', () => vi.spyOn(process, 'getuid').mockReturnValue(statSync(cache).uid + 1)],
  ['that is a file', () => replaceCache(() => writeFileSync(cache, ''))],
  ['that is a link', () => replaceCache(() => symlinkSync(mkdtempSync(join(base, 'other-')), cache))],
  ['in a base that does not exist', () => vi.stubEnv('XDG_CACHE_HOME', join(base, 'absent', 'cache'))],
])('a folder %s is not used', (_, change) => {
  expect(privateCompileCache()).toBe(cache)
  change()
  expect(privateCompileCache()).toBeUndefined()
})

/** The folder that the cache of `svc version` is in; undefined: it has none. */
async function cacheOfProgram(env: Readonly<Record<string, string>>): Promise<string | undefined> {
  const tell = 'data:text/javascript,import m from "node:module";process.on("exit",()=>console.error("cache "+m.getCompileCacheDir()))'
  const { stderr } = await promisify(execFile)(process.execPath, ['--import', tell, program, 'version'], {
    env: { PATH: process.env.PATH, ...env },
  })
  return /^cache (.*)\/[^/]+$/m.exec(stderr)?.[1]
}

test('svc compiles into the private folder below HOME, into that of the operator, or into none', async () => {
  const [byDefault, chosen] = [await cacheOfProgram({ HOME: base }), join(base, 'chosen')]
  expect(byDefault).toBe(join(base, '.cache/svc/compile-cache'))
  expect(await cacheOfProgram({ HOME: base, NODE_COMPILE_CACHE: chosen })).toBe(chosen)
  chmodSync(byDefault ?? '', 0o777)
  expect(await cacheOfProgram({ HOME: base })).toBeUndefined()
})
