import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { doctor } from 'svc/kernel/system'
import { testKernel } from 'svc/kernel/testing'
import { builtinPlugins } from 'svc/plugins'
import { buckets, objects } from 'svc/plugins/storage'
import { expect, onTestFinished, test } from 'vitest'

const packages = [fileURLToPath(new URL('.', import.meta.url))]
const bytes = Buffer.alloc(300, 'archived bytes ')

/** An object whose cached file was deleted, with a file for it in the archive. */
async function openArchived(inArchive: Buffer) {
  const archive = mkdtempSync(join(tmpdir(), 'svc-archive-'))
  const svc = await testKernel({
    plugins: builtinPlugins.filter(({ id }) => id === 'storage'),
    config: { 'plugins.packages': packages, 'archive.dir': archive },
  })
  onTestFinished(async () => {
    await svc.stop()
    rmSync(archive, { recursive: true })
  })
  await svc.kernel.get(buckets).create({ name: 'photos', ownerAccessKey: null })
  const store = svc.kernel.get(objects)
  const body = (async function* () {
    yield bytes
  })()
  await store.put({ bucket: 'photos', key: 'cat', body, headers: { contentType: 'image/png', system: {}, user: {} } })
  rmSync(join(svc.dir, 'cache', 'blobs'), { recursive: true })
  writeFileSync(join(archive, createHash('sha256').update(bytes).digest('hex')), inArchive)
  return store.open('photos', 'cat')
}

test('bytes that are not cached are read from the archive, also in part', async () => {
  await using object = await openArchived(bytes)
  expect(object.source).toBe('provider')
  const read = await Array.fromAsync(object.read({ start: 10, end: 19 }))
  expect(Buffer.concat(read)).toEqual(bytes.subarray(10, 20))
})

test('a file of the archive with other bytes is not served', async () => {
  await expect(openArchived(Buffer.alloc(300, 'other'))).rejects.toMatchObject({ code: 'content_unavailable' })
})

test('svc doctor finds a file of the archive with other bytes', async () => {
  const archive = mkdtempSync(join(tmpdir(), 'svc-archive-'))
  onTestFinished(() => rmSync(archive, { recursive: true }))
  const names = Array.from({ length: 12 }, (_, index) => createHash('sha256').update(String(index)).digest('hex')).toSorted()
  for (const name of names) writeFileSync(join(archive, name), 'other')
  await using svc = await testKernel({
    plugins: builtinPlugins.filter(({ id }) => id === 'storage'),
    config: { 'plugins.packages': packages, 'archive.dir': archive },
  })
  const { look } = svc.kernel.get(doctor)
  const first = await look('archive.files', {})
  expect(first).toMatchObject({ compared: 10, next: names[9] })
  expect(await look('archive.files', { after: first.next })).toMatchObject({
    compared: 2,
    findings: [{ subject: { id: names[10] } }, { subject: { id: names[11] } }],
  })
  const right = createHash('sha256').update('right').digest('hex')
  for (const name of names) rmSync(join(archive, name))
  writeFileSync(join(archive, right), 'right')
  expect(await look('archive.files', { sample: 1 })).toEqual({ findings: [], compared: 1 })
})
