import { randomBytes } from 'node:crypto'
import { createCRC64 } from 'hash-wasm'
import { expect, test } from 'vitest'
import { Crc64Nvme } from './crc64nvme.ts'

test('the check value of CRC-64/NVME', () => {
  const crc = new Crc64Nvme()
  crc.update(Buffer.from('123456789'))
  expect(crc.digest().toString('hex')).toBe('ae8b14860a799888')
})

test('bytes of any length, in any pieces, have the checksum that another implementation computes', async () => {
  const crc = new Crc64Nvme()
  const other = await createCRC64('9a6c9329ac4bc9b5')
  const around = [128, 256, 384, 126_848, 131_072, 300_000].flatMap((length) => [length - 1, length, length + 1])
  for (const length of [0, 1, 8, 100, ...around]) {
    const bytes = randomBytes(length)
    const cut = Math.floor(Math.random() * length)
    crc.init()
    for (const piece of [bytes.subarray(0, cut), bytes.subarray(cut)]) crc.update(piece)
    expect([length, cut, crc.digest().toString('hex')]).toEqual([length, cut, other.init().update(bytes).digest()])
  }
})
