import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type as arktype } from 'arktype'
import { expect, test } from 'vitest'
import { checkSchema, type } from './schema.ts'

/** Modules of packages that a program imports, in a process of its own. */
function packagesOf(program: string): readonly string[] {
  const source = `
    import { registerHooks } from 'node:module'
    const urls = []
    registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) })
    const { type } = await import(${JSON.stringify(new URL('./schema.ts', import.meta.url).href)})
    ${program}
    console.log(JSON.stringify(urls.filter((url) => url.includes('node_modules'))))`
  const args = ['--input-type=module', '-e', source]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', cwd: fileURLToPath(new URL('.', import.meta.url)) }))
}

const definitions = `
  const part = type({ name: 'string', 'role?': type.enumerated('reader', 'writer') })
  const whole = type({ parts: part.array().or('null'), size: type('string.integer.parse').to('number > 0') }).get('parts')`

test('definitions load no library, and a check loads it', () => {
  expect(packagesOf(definitions)).toEqual([])
  expect(packagesOf(`${definitions}; whole.allows(null)`).some((url) => url.includes('/arktype/'))).toBe(true)
})

test('a schema without members accepts every object without the library, and refuses everything else', () => {
  expect(packagesOf(`type({})['~standard'].validate({ name: 1 })`)).toEqual([])
  const nothing = type({})
  expect(checkSchema(nothing, { name: 1 })).toEqual({ value: { name: 1 } })
  for (const value of [null, 'text', 1, undefined]) expect(String(checkSchema(nothing, value).errors)).toBe(String(arktype({})(value)))
  expect(checkSchema(type([]), [1]).errors).toBeDefined()
})

test.each([
  ['a nested schema', () => type({ a: { b: type('number') } }), { a: { b: 'x' } }],
  ['a tuple', () => type([type('number'), 'string']) as never, [1, 2]],
  ['a list', () => type({ a: 'number' }).array(), [{ a: 'x' }]],
  ['a union', () => type('number').or(type('null')), 'x'],
  ['a named choice', () => type({ a: type.enumerated('x', 'y') }), { a: 'z' }],
  ['a narrowed text', () => type('string').narrow((text, ctx) => text.length > 2 || ctx.mustBe('longer')), 'x'],
  ['a parsed text', () => type('string.integer.parse').to('number > 3'), '3'],
  ['a missing member', () => type({ a: 'string', 'b?': 'number' }), {}],
])('%s refuses with the message of arktype itself', (_what, define, value) => {
  const schema = define()
  expect(String(checkSchema(schema, value).errors)).toMatch(/must be/)
  expect(schema(value)).toBeInstanceOf(type.errors)
})

test('values are parsed, described and refused for unknown members as the definition says', () => {
  const page = type({ 'limit?': type('string.integer.parse').to('1 <= number.integer <= 100') })
  expect(checkSchema(page, { limit: '7' })).toEqual({ value: { limit: 7 } })
  expect(page.out.toJsonSchema()).toMatchObject({ properties: { limit: { type: 'integer', minimum: 1, maximum: 100 } } })
  expect(page.assert({})).toEqual({})
  expect(page.extends('unknown[]')).toBe(false)
  expect(page.array().extends('unknown[]')).toBe(true)
  expect(String(page.onDeepUndeclaredKey('reject')({ offset: '1' }))).toContain('offset')
})

test('a mistake in a definition is thrown at the first use', () => {
  const wrong = type('strnig' as never) as { allows(value: unknown): boolean }
  expect(() => wrong.allows('x')).toThrow("'strnig' is unresolvable")
})
