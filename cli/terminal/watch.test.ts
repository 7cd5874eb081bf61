import { expect, test } from 'vitest'
import { CommandError } from '#kernel'
import { AdminRefusal } from '../client/admin-refusal.ts'
import { createOutput } from './output.ts'
import { type Shown, showResult } from './watch.ts'

function record({ isJson = false, isTTY = false } = {}) {
  const written: string[] = []
  const stdout = { isTTY, write: (text: string | Uint8Array) => void written.push(String(text)) }
  return { written, out: createOutput({ isJson, stdout, stderr: { write: () => undefined } }) }
}

const refusal = new AdminRefusal('not found', { status: 404 })

/** A reader that returns or throws each of these in turn, then is refused. */
function readerOf(...results: readonly (Shown | Error)[]) {
  const left = [...results]
  return async () => {
    const next = left.shift() ?? refusal
    if (next instanceof Error) throw next
    return next
  }
}

const block = (text: string) => ({ value: { text }, text })

test('without --watch the result is shown once', async () => {
  const { written, out } = record()
  await showResult({ flags: {}, out }, readerOf(block('a'), block('b')))
  expect(written).toEqual(['a\n'])
})

test('without a terminal each change is one block, also the loss of the service', async () => {
  const { written, out } = record()
  const silence = new CommandError('no answer')
  const read = readerOf(block('a'), block('a'), silence, silence, block('b'))
  await expect(showResult({ flags: { watch: true }, out }, read, 1)).rejects.toBe(refusal)
  expect(written).toEqual(['a\n', '\nno answer\n', '\nb\n'])
})

test('the mark decides what counts as a change', async () => {
  const { written, out } = record()
  const read = readerOf({ ...block('up 1s'), mark: 'ok' }, { ...block('up 2s'), mark: 'ok' }, { ...block('down'), mark: 'bad' })
  await expect(showResult({ flags: { watch: true }, out }, read, 1)).rejects.toBe(refusal)
  expect(written).toEqual(['up 1s\n', '\ndown\n'])
})

test('--watch ends after the last result', async () => {
  const { written, out } = record()
  await showResult({ flags: { watch: true }, out }, readerOf(block('a'), { ...block('b'), isLast: true }, block('c')), 1)
  expect(written).toEqual(['a\n', '\nb\n'])
})

test('a terminal is refreshed every time', async () => {
  const { written, out } = record({ isTTY: true })
  await expect(showResult({ flags: { watch: true }, out }, readerOf(block('a'), block('a')), 1)).rejects.toBe(refusal)
  expect(written).toEqual(['\u001b[H\u001b[Ja\n', '\u001b[H\u001b[Ja\n'])
})

test('under --json each change is one line', async () => {
  const { written, out } = record({ isJson: true })
  await expect(showResult({ flags: { watch: true }, out }, readerOf(block('a'), block('a'), block('b')), 1)).rejects.toBe(refusal)
  expect(written).toEqual(['{"text":"a"}\n', '{"text":"b"}\n'])
})

test('without a terminal the next block waits until the reader took the one before', async () => {
  const written: string[] = []
  const drains: (() => void)[] = []
  const stdout = {
    write: (text: string | Uint8Array) => written.push(String(text)) === 0,
    once: (_event: 'drain', listener: () => void) => drains.push(listener),
  }
  const out = createOutput({ isJson: false, stdout, stderr: { write: () => undefined } })
  let reads = 0
  const read = async () => {
    reads++
    if (reads > 2) throw refusal
    return block(`${reads}`)
  }
  const shown = showResult({ flags: { watch: true }, out }, read, 1)
  await expect.poll(() => drains.length).toBe(1)
  expect([written, reads]).toEqual([['1\n'], 1])
  drains.shift()?.()
  await expect.poll(() => drains.length).toBe(1)
  expect([written, reads]).toEqual([['1\n', '\n2\n'], 2])
  drains.shift()?.()
  await expect(shown).rejects.toBe(refusal)
})

test('an error other than a missing answer ends the command', async () => {
  const { out } = record()
  const broken = new TypeError('a bug')
  await expect(showResult({ flags: { watch: true }, out }, readerOf(block('a'), broken), 1)).rejects.toBe(broken)
})
