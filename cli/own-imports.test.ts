import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

test('imports between the chunks of a package are resolved without a look-up; Node resolves all others', () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-imports-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const files = {
    'package.json': '{ "type": "module" }',
    'main.js': `import { registerHooks } from 'node:module'
      import { resolveOwnImports } from ${JSON.stringify(new URL('./own-imports.js', import.meta.url).href)}
      const looked = []
      registerHooks({ resolve: (specifier, context, next) => (looked.push(specifier), next(specifier, context)) })
      resolveOwnImports(new URL('.', import.meta.url).href)
      const { value } = await import('./chunks/a.js')
      console.log(JSON.stringify({ value, looked }))`,
    'beside.js': `export const beside = 'beside'`,
    'chunks/a.js': `import { b } from './b.js'
      import { beside } from '../beside.js'
      import { old } from 'old'
      export const value = [b, (await import('./late.js')).late, beside, old]`,
    'chunks/b.js': `export const b = 'b'`,
    'chunks/late.js': `export const late = 'late'`,
    'node_modules/old/package.json': '{ "main": "lib/old.js" }',
    'node_modules/old/lib/old.js': `exports.old = require('./chunks/c.js')`,
    'node_modules/old/lib/chunks/c.js': `module.exports = 'c'`,
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(dir, path, '..'), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  const output = execFileSync(process.execPath, [join(dir, 'main.js')], { encoding: 'utf8' })
  expect(JSON.parse(output)).toEqual({
    value: ['b', 'late', 'beside', 'c'],
    looked: ['../beside.js', 'old', './chunks/c.js'],
  })
})
