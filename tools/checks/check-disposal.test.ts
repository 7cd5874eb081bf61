import ts from 'typescript'
import { expect, test } from 'vitest'
import { findEarlyDisposals } from './check-disposal.ts'

/** Compiles without a library: `then` makes a promise. */
function linesFound(code: string): readonly number[] {
  const types = 'interface Step { then(): void }; declare const step: () => Step; declare const lock: () => any'
  const file = ts.createSourceFile('code.ts', `${types}\n${code}`, ts.ScriptTarget.Latest, true)
  const host = { ...ts.createCompilerHost({}), getSourceFile: (name: string) => (name === 'code.ts' ? file : undefined) }
  const program = ts.createProgram(['code.ts'], { noLib: true, target: ts.ScriptTarget.ESNext }, host)
  return findEarlyDisposals(program).map((line) => Number(/:(\d+) /.exec(line)?.[1]) - 1)
}

test('a promise that is returned while something is held is found, also under a condition', () => {
  const code = `async function run(isOpen: boolean) {
    if (!isOpen) return step()
    using held = lock()
    if (held) return step()
    return isOpen ? step() : undefined
  }`
  expect(linesFound(code)).toEqual([4, 5])
})

test('an awaited promise, a value, and a promise of another function or block are not', () => {
  const code = `async function run() {
    { await using held = lock() }
    const other = () => { return step() }
    if (other) return step()
    await using held = lock()
    const inner = () => { return step() }
    if (inner) return 1
    return await step()
  }`
  expect(linesFound(code)).toEqual([])
})
