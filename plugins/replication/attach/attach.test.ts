import { expect, test } from 'vitest'
import { createUploadMeter } from '../upload-meter.ts'
import { pieceKeeper } from './attach.ts'

test('storage learns from the keeper when bytes were last sent', () => {
  const uploads = createUploadMeter({ now: () => 700 })
  uploads.begin(1, { attempt: 1, totalBytes: 100 })
  uploads.set(1, 50)
  expect(pieceKeeper.lastMovedMs?.({ uploads } as never)).toBe(700)
})
