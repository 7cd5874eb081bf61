import fs from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { realDisk } from './disk.ts'

test('a short write is continued until all bytes are written', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-disk-'))
  const whole = fs.writev
  // Writes at most three bytes per call.
  const partial = vi.spyOn(fs, 'writev').mockImplementation(((fd: number, chunks: Uint8Array[], position: number, done: never) => {
    const taken = Buffer.concat(chunks).subarray(0, 3)
    return whole(fd, [taken], position, done)
  }) as never)
  try {
    const path = join(dir, 'file')
    const file = await realDisk.create(path)
    await realDisk.write(file, [Buffer.from('ab'), Buffer.from('cdefg'), Buffer.from('h')], 0)
    await realDisk.write(file, [Buffer.from('ijkl')], 8)
    await realDisk.close(file)
    expect(await readFile(path, 'utf8')).toBe('abcdefghijkl')
    expect(partial).toHaveBeenCalledTimes(5)
    await expect(realDisk.create(path)).rejects.toMatchObject({ code: 'EEXIST' })
  } finally {
    partial.mockRestore()
    await rm(dir, { recursive: true })
  }
})
