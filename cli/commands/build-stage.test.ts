import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openBuildStage } from './build-stage.ts'

let home: string
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'svc-stage-test-')))
  for (const path of ['tsconfig.json', 'ui/index.html', 'ui/tsconfig.json', 'ui/public/a.js', 'ui/src/b.ts']) write(path)
  write('ui/package.json', '{ "type": "module" }')
  write('plugins/one/ui/index.ts', 'one')
  write('plugins/one/ui/index.test.ts')
  write('plugins/one/plugin.ts')
  write('tools/vite/index.js', 'export const name = "vite of the author"')
  write('tools/vite/package.json', '{ "name": "vite", "type": "module", "exports": "./index.js" }')
})
afterEach(() => rmSync(home, { recursive: true }))

function write(path: string, text = ''): void {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), text)
}

const tools = () => [{ name: 'vite', folder: join(home, 'tools/vite') }]
const svc = { version: '1', commit: 'c' }

/** Prints what it was given, and where it is. */
const echo = `
import { existsSync, readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { name } from 'vite'
const request: { sources: { module: string }[] } = JSON.parse(await text(process.stdin))
const texts = request.sources.map(({ module }) => readFileSync(module, 'utf8'))
const absent = ['../../plugins/one/ui/index.test.ts', '../../plugins/one/plugin.ts'].filter((path) => !existsSync(new URL(path, import.meta.url)))
console.log(JSON.stringify({ request, texts, absent, name, program: import.meta.filename }))`

test('the build runs in a copy of the sources, finds the tools, and reads the parts of packages where they are', async () => {
  write('ui/build/staged-main.ts', echo)
  write('elsewhere/ui/index.ts', 'two')
  const sources = [
    { plugin: 'one', module: join(home, 'plugins/one/ui/index.ts') },
    { plugin: 'two', module: join(home, 'elsewhere/ui/index.ts') },
  ]
  let program: string
  {
    using stage = openBuildStage(home, tools())
    // biome-ignore lint/suspicious/noExplicitAny: printed by the program above
    const result = (await stage.build({ out: '/out', sources, svc })) as any
    program = result.program
    expect(result).toMatchObject({ name: 'vite of the author', texts: ['one', 'two'], absent: { length: 2 } })
    expect(result.request).toMatchObject({ out: '/out', svc, home: join(home, 'ui') })
    expect(result.request.sources[0].module).not.toBe(sources[0]?.module)
    expect(result.request.sources[1]).toEqual(sources[1])
    expect(existsSync(program)).toBe(true)
  }
  expect(existsSync(dirname(dirname(dirname(program))))).toBe(false)
  expect(readFileSync(join(home, 'tools/vite/index.js'), 'utf8')).toContain('vite of the author')
})

test('a failed build is an error with its text', async () => {
  write('ui/build/staged-main.ts', `process.stderr.write('page /holds: its title must not be empty\\n'); process.exitCode = 1`)
  using stage = openBuildStage(home, tools())
  await expect(stage.build({ out: '/out', sources: [], svc })).rejects.toThrow(
    'the dashboard cannot be built: page /holds: its title must not be empty',
  )
})
