import { expect, test } from 'vitest'
import { createLiveOutput } from './live-output.ts'

function sink({
  isTTY = false,
  rows,
  isFull = false,
}: {
  readonly isTTY?: boolean
  readonly rows?: number
  readonly isFull?: boolean
} = {}) {
  const written: string[] = []
  const drains: (() => void)[] = []
  return {
    isTTY,
    ...(rows === undefined ? {} : { rows }),
    written,
    drains,
    write(part: string | Uint8Array) {
      written.push(String(part))
      return !isFull
    },
    once: (_event: 'drain', listener: () => void) => drains.push(listener),
  }
}

test('a write waits for a slow reader', async () => {
  const stdout = sink({ isFull: true })
  let isDone = false
  const done = createLiveOutput({ isJson: false, stdout, stderr: sink() })
    .write('a')
    .then(() => {
      isDone = true
    })
  await Promise.resolve()
  expect(isDone).toBe(false)
  stdout.drains[0]?.()
  await done
  expect(stdout.written).toEqual(['a'])
})

test('a terminal is redrawn in place, limited to its height', () => {
  const stdout = sink({ isTTY: true, rows: 4 })
  const { refresh } = createLiveOutput({ isJson: false, stdout, stderr: sink() })
  refresh('1\n2\n3')
  refresh('1\n2\n3\n4\n5')
  expect(stdout.written).toEqual(['\u001b[H\u001b[J1\n2\n3\n', '\u001b[H\u001b[J1\n2\n… 3 more lines\n'])
})

test('progress is one replaced line on a terminal, and omitted elsewhere and with --json', () => {
  const stderr = sink({ isTTY: true })
  createLiveOutput({ isJson: false, stdout: sink(), stderr }).progress?.('half')
  expect(stderr.written).toEqual(['\r\u001b[Khalf'])
  expect(createLiveOutput({ isJson: true, stdout: sink(), stderr }).progress).toBeUndefined()
  expect(createLiveOutput({ isJson: false, stdout: sink(), stderr: sink() }).progress).toBeUndefined()
})
