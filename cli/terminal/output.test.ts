import { expect, test } from 'vitest'
import { createOutput } from './output.ts'
import { formatTable } from './table.ts'

function record(isJson: boolean) {
  const written = { stdout: '', stderr: '' }
  const sink = (name: 'stdout' | 'stderr') => ({ write: (text: string) => (written[name] += text) })
  return { written, out: createOutput({ isJson, stdout: sink('stdout'), stderr: sink('stderr') }) }
}

test('a result ends with one newline, and notes go to stderr', () => {
  const { written, out } = record(false)
  out.result({ a: 1 }, 'Done')
  out.result({}, 'Done\n')
  out.note('by the way')
  expect(written).toEqual({ stdout: 'Done\nDone\n', stderr: 'by the way\n' })
  expect(out.isTerminal).toBe(false)
})

test('with --json stdout has only the value, amounts as decimal strings', () => {
  const { written, out } = record(true)
  out.result({ amount: 10n ** 30n, ids: [1] }, 'Done')
  expect(written).toEqual({ stdout: `{\n  "amount": "1${'0'.repeat(30)}",\n  "ids": [\n    1\n  ]\n}\n`, stderr: '' })
})

test('a table has a header in capitals and columns two spaces apart', () => {
  expect(
    formatTable(
      ['id', 'name'],
      [
        ['1', 'Zoë — a'],
        ['22', ''],
      ],
    ),
  ).toBe('ID  NAME\n1   Zoë — a\n22')
  expect(formatTable(['only'], [])).toBe('ONLY')
})

test('line breaks and control characters in a table cell are replaced', () => {
  expect(formatTable(['said'], [['two\r\nlines\u001b[31m\u202e red']])).toBe('SAID\ntwo lines [31m red')
})
