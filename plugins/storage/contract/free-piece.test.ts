import { expect, test } from 'vitest'
import { freePiece } from './free-piece.ts'

test('the memory of a piece is freed, but not that of a view or of shared memory', () => {
  const own = Buffer.allocUnsafeSlow(64 * 1024)
  freePiece(own)
  expect([own.length, own.buffer.byteLength]).toEqual([0, 0])
  const around = Buffer.allocUnsafeSlow(64 * 1024)
  freePiece(around.subarray(1))
  freePiece(around.subarray(0, 32 * 1024))
  expect(around.length).toBe(64 * 1024)
  const shared = Buffer.from(new SharedArrayBuffer(64 * 1024))
  freePiece(shared)
  expect(shared.length).toBe(64 * 1024)
})
