import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Upload, UploadPart } from '../contract.ts'
import { readAll } from '../testing/object-storage.ts'
import { randomOf } from '../testing/random.ts'
import { stageUploads } from '../testing/staged-uploads.ts'
import { openVersionStorage } from '../testing/version-storage.ts'

const stepsPerSeed = 120
/** Bodies of the tests are smaller. */
const inDatabase = 16 * 1024
const inFiles = 0

interface ModelUpload {
  readonly upload: Upload
  readonly parts: Map<number, { readonly bytes: string; readonly part: UploadPart }>
}

const md5 = (bytes: string | Buffer) => createHash('md5').update(bytes).digest()
const etagOf = (texts: readonly string[]) => `${md5(Buffer.concat(texts.map((text) => md5(text)))).toString('hex')}-${texts.length}`

describe.each([
  [1, inDatabase],
  [2, inDatabase],
  [3, inFiles],
  [4, inFiles],
])('random uploads of seed %s, with bodies up to %s bytes in the database', (seed, databaseBytesMax) => {
  test('have the bytes, ETags, parts and used bytes of a model in memory', async () => {
    const random = randomOf(seed)
    await using storage = await openVersionStorage({ databaseBytesMax })
    const staged = stageUploads(storage.uploads)
    const open: ModelUpload[] = []
    const objects = new Map<string, { readonly versionId: string; readonly texts: readonly string[]; readonly etag: string }[]>()
    // Few lengths and letters, so that equal parts are frequent.
    const bytes = () => 'abc'.charAt(random(3)).repeat(1 + random(3))
    const record = (key: string, texts: readonly string[], { versionId, etag }: { readonly versionId: string; readonly etag: string }) =>
      objects.set(key, [{ versionId, texts, etag }, ...(objects.get(key) ?? [])])

    const steps: Record<string, () => Promise<void>> = {
      async create() {
        open.push({ upload: await staged.create(`k${random(4)}`), parts: new Map() })
      },
      async put() {
        const one = open[random(open.length)]
        if (!one) return
        const [number, text] = [1 + random(6), bytes()]
        one.parts.set(number, { bytes: text, part: await staged.put(one.upload, number, text) })
      },
      async object() {
        const [key, text] = [`k${random(4)}`, bytes()]
        record(key, [text], await storage.put(key, text))
      },
      async copyPart() {
        const one = open[random(open.length)]
        const [key, [source] = []] = [...objects][random(Math.max(1, objects.size))] ?? []
        if (!one || key === undefined || !source) return
        const number = 1 + random(6)
        const place = { bucket: 'photos', key: one.upload.key, uploadId: one.upload.id, partNumber: number }
        const { part } = await storage.uploads.copyPart({ ...place, source: { bucket: 'photos', key } })
        one.parts.set(number, { bytes: source.texts.join(''), part })
      },
      async complete() {
        const [one] = open.splice(random(open.length), 1)
        if (!one) return
        const chosen = [...one.parts].toSorted(([a], [b]) => a - b).filter(() => random(4) > 0)
        if (chosen.length === 0) {
          await staged.abort(one.upload)
          return
        }
        const version = await staged.complete(
          one.upload,
          chosen.map(([, { part }]) => part),
        )
        const texts = chosen.map(([, chosenPart]) => chosenPart.bytes)
        expect(version.etag).toBe(etagOf(texts))
        record(one.upload.key, texts, version)
      },
      async abort() {
        const [one] = open.splice(random(open.length), 1)
        if (one) await staged.abort(one.upload)
      },
      async copy() {
        const [key, versions] = [...objects][random(Math.max(1, objects.size))] ?? []
        const [current] = versions ?? []
        if (key === undefined || !current) return
        const target = `k${random(4)}`
        const { version } = await storage.objects.copy({ source: { bucket: 'photos', key }, target: { bucket: 'photos', key: target } })
        expect(version.etag).toBe(current.etag)
        record(target, current.texts, version)
      },
      async remove() {
        const [key, versions = []] = [...objects][random(Math.max(1, objects.size))] ?? []
        const removed = versions.at(-1)
        if (key === undefined || !removed) return
        await storage.versions.delete({ bucket: 'photos', key, versionId: removed.versionId })
        const left = versions.slice(0, -1)
        if (left.length > 0) objects.set(key, left)
        else objects.delete(key)
      },
    }
    const names = ['create', 'put', 'put', 'put', 'put', 'complete', 'complete', 'abort', 'copy', 'remove', 'object', 'copyPart']
    for (let step = 0; step < stepsPerSeed; step++) await steps[names[random(names.length)] ?? '']?.()

    for (const [key, versions] of objects) {
      for (const { versionId, texts } of versions) {
        const whole = texts.join('')
        expect(await storage.text(key, versionId)).toBe(whole)
        const start = random(whole.length)
        const end = start + random(whole.length - start)
        const range = await readAll(await storage.objects.open('photos', key, versionId), { start, end })
        expect(Buffer.from(range).toString()).toBe(whole.slice(start, end + 1))
      }
    }
    const distinct = new Map(
      [...objects.values()].flat().map(({ texts }) => [texts.join(texts.length > 1 ? '|' : ''), texts.join('').length]),
    )
    const partBytes = open.flatMap(({ parts }) => [...parts.values()]).reduce((sum, { bytes }) => sum + bytes.length, 0)
    const contentBytes = [...distinct.values()].reduce((sum, size) => sum + size, 0)
    expect(storage.cache.stats().usedBytes).toBe(contentBytes + partBytes)
    await storage.expectSound()
  })
})
