import { expect, test } from 'vitest'
import { type Disk, realDisk } from './disk.ts'
import { SyncedFolder } from './synced-folder.ts'

/** A folder whose fsyncs end when the test resolves them. */
function heldFolder() {
  const running: PromiseWithResolvers<void>[] = []
  const disk: Disk = {
    ...realDisk,
    syncFolder: () => {
      const next = Promise.withResolvers<void>()
      running.push(next)
      return next.promise
    },
    close: async () => {},
  }
  return { folder: new SyncedFolder(disk, '/held', -1), running }
}

test('callers during a running fsync wait for the next one and share it', async () => {
  const { folder, running } = heldFolder()
  const first = folder.sync()
  const late = [folder.sync(), folder.sync(), folder.sync()]
  expect(running).toHaveLength(1)
  running[0]?.resolve()
  await first
  await expect.poll(() => running.length).toBe(2)
  const later = folder.sync()
  running[1]?.resolve()
  await Promise.all(late)
  await expect.poll(() => running.length).toBe(3)
  running[2]?.resolve()
  await later
  expect(running).toHaveLength(3)
})

test('after a failed fsync every later sync fails', async () => {
  const { folder, running } = heldFolder()
  const first = folder.sync()
  const late = folder.sync()
  running[0]?.reject(new Error('EIO'))
  await expect(first).rejects.toThrow('EIO')
  await expect(late).rejects.toThrow('the folder /held was closed, or an earlier fsync of it failed')
  expect(folder.hasFailed).toBe(true)
  expect(running).toHaveLength(1)
})
