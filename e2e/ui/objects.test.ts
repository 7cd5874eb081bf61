/** Objects in a real browser on a service with long lists; no chain is needed. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DeleteObjectCommand, DeleteObjectsCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestKernel, testOperator } from '#kernel/testing'
import { cache } from '../../plugins/storage/testing/services.ts'
import { type AdminCalls, createAdminCalls } from '../fixtures/admin-calls.ts'
import { createAdvancingClock } from '../fixtures/gateways/serve-here.ts'
import { connectS3 } from '../fixtures/s3-client.ts'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'
import { startFilledService } from '../load/filled-service.ts'
import { historyKey } from '../load/stored-rows.ts'
import { buildDashboard, hasBrowser, openPage, signIn } from './fixtures/browser.ts'
import { dropOn } from './fixtures/drop-on.ts'

const rows = 10_000
/** Rows of a page of 50, or of the window of a long list, with a head and spacers. */
const rowsMax = 80
const mib = 1024 ** 2

const stack = new AsyncDisposableStack()
const clock = createAdvancingClock()
let svc: TestKernel
let api: AdminCalls
let s3: S3Client

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
const row = (page: Page, text: string) => page.locator('#main').getByRole('row').filter({ hasText: text })
const tray = (page: Page) => page.getByRole('region', { name: 'Transfers' })
const dialog = (page: Page) => page.locator('dialog:modal')
const open = (page: Page, path: string) => signIn(page, { base_url: svc.url, admin: testOperator }, path)
const createBucket = (name: string, owner = '__internal_root__') =>
  api.call('POST', '/api/v1/buckets', { json: { name, owner_access_key: owner, default_copies: 1 } })
const keysOf = async (bucket: string): Promise<readonly string[]> =>
  ((await api.call('GET', `/api/v1/buckets/${bucket}/objects`)).json as { objects: { key: string }[] }).objects.map(({ key }) => key)
const file = (name: string, bytes: number) => ({ name, mimeType: 'text/plain', buffer: Buffer.alloc(bytes, 'x') })

beforeAll(async () => {
  if (!hasBrowser) return
  await buildDashboard()
  svc = await startFilledService(rows, { clock, config: { 'cache.max_size_gb': 1, 'cache.eviction_policy': 'none' } })
  stack.defer(() => svc.stop())
  api = createAdminCalls(svc.url, testOperator)
  const user = (await api.call('POST', '/api/v1/s3-users', { json: { role: 'admin' } })).json
  s3 = connectS3(svc.kernel.urls.s3 ?? '', user)
  stack.defer(() => s3.destroy())
  await createBucket('shared', user.access_key)
})
afterAll(() => stack.disposeAsync())

/** Qwik keeps children that a component does not draw in a hidden element. */
const shown = (page: Page, text: string) => page.getByText(text).filter({ visible: true })

describe.runIf(hasBrowser)('objects of the dashboard', { timeout: 240_000 }, () => {
  test('too many wrong passwords: the wait is counted down, and the button works again at its end', async () => {
    await using watched = await openPage()
    const { page } = watched
    await page.clock.install()
    await page.goto(`${svc.url}/buckets`)
    const button = page.getByRole('button', { name: 'Sign in' })
    const notice = page.getByText('Too many failed passwords')
    await expect
      .poll(async () => {
        if (await notice.isVisible()) return true
        await page.getByLabel('Password').fill('wrong')
        await page.keyboard.press('Enter')
        await page.getByText(/password is wrong|Too many failed/).waitFor()
        return false
      })
      .toBe(true)
    const secondsLeft = async () => Number(/again in (\d+) s/.exec((await page.getByText('possible again in').textContent()) ?? '')?.[1])
    const first = await secondsLeft()
    expect([first > 0, first <= 60, await button.isDisabled()]).toEqual([true, true, true])
    await page.clock.fastForward(10_000)
    await expect.poll(secondsLeft).toBeLessThanOrEqual(first - 10)
    expect(await button.isDisabled()).toBe(true)
    await page.getByLabel('Password').fill(testOperator.password)
    await page.keyboard.press('Enter')
    expect(await notice.isVisible()).toBe(true)
    clock.advance(61_000)
    await page.clock.fastForward(61_000)
    await notice.waitFor({ state: 'detached' })
    await button.click()
    await heading(page, 'Buckets').waitFor()
  })

  test('folders and files that are dropped are sent; a sending is cancelled and sent again', async () => {
    using folder = temporaryDirectory()
    const name = '<img src=x onerror=alert(1)>'
    mkdirSync(join(folder.path, name, 'inner'), { recursive: true })
    for (const path of ['one.txt', 'inner/two.txt']) writeFileSync(join(folder.path, name, path), 'x'.repeat(200))
    writeFileSync(join(folder.path, 'three.txt'), 'x'.repeat(200))
    await createBucket('dropped')
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/buckets/dropped')
    await shown(page, 'No objects here').waitFor()
    let isHeld = true
    const held = (url: URL) => isHeld && url.searchParams.get('key') === 'three.txt' && url.pathname.endsWith('/upload')
    await page.route(held, () => {})
    await dropOn(shown(page, 'No objects here'), [join(folder.path, name), join(folder.path, 'three.txt')])
    await dialog(page).getByRole('button', { name: 'Upload 3 files' }).click()
    await tray(page).getByText('1 of 3 transfers left').waitFor()
    expect(await keysOf('dropped')).toEqual([`${name}/inner/two.txt`, `${name}/one.txt`])
    await tray(page).getByRole('button', { name: 'Cancel three.txt' }).click()
    await tray(page).getByText('Cancelled').waitFor()
    expect(await keysOf('dropped')).toHaveLength(2)
    isHeld = false
    await tray(page).getByRole('button', { name: 'Send three.txt again' }).click()
    await row(page, 'three.txt').waitFor()
    await tray(page).getByText('Transfers ended').waitFor()
    expect(await keysOf('dropped')).toHaveLength(3)
  })

  test('an upload into a full cache says how much room there is and what to change, and is sent again once there is room', async () => {
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/buckets/shared')
    const { max_bytes, used_bytes } = (await api.call('GET', '/api/v1/cache/stats')).json as { max_bytes: number; used_bytes: number }
    const send = tray(page).getByRole('button', { name: 'Send large.bin again' })
    {
      using _held = await svc.kernel.get(cache).reserve(max_bytes - used_bytes - 4 * mib)
      await page.getByLabel('Files to upload').setInputFiles([file('large.bin', 16 * mib)])
      await dialog(page).getByRole('button', { name: 'Upload 1 file' }).click()
      await tray(page).getByText('raise cache.max_size_gb').waitFor()
      await tray(page).getByText('1 failed').waitFor()
    }
    await send.click()
    await tray(page).getByText('Transfers ended').waitFor()
    await row(page, 'large.bin').waitFor()
    expect(await tray(page).getByText('1 failed').count()).toBe(0)
  })

  test('a sign-out leaves neither the transfers nor the results of checks to the next operator', async () => {
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/buckets/shared')
    await page.getByLabel('Files to upload').setInputFiles([file('private.txt', 200)])
    await dialog(page).getByRole('button', { name: 'Upload 1 file' }).click()
    await tray(page).getByText('Transfers ended').waitFor()
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Doctor' }).click()
    const check = page.getByRole('region', { name: 'Migrations of the database against those of svc and its plugins' })
    await check.getByRole('button', { name: /^Run/ }).click()
    await check.getByText('In order').waitFor()
    await page.getByRole('button', { name: /Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByLabel('Password').fill(testOperator.password)
    await page.keyboard.press('Enter')
    await check.getByRole('button', { name: /^Run/ }).waitFor()
    expect([await tray(page).count(), await check.getByText('In order').count()]).toEqual([0, 0])
  })

  test('pages open at once while uploads change the overview without a pause', async () => {
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/')
    await page.getByRole('region', { name: 'Over time' }).waitFor()
    const uploads = new AbortController()
    const upload = async () => {
      for (let at = 0; !uploads.signal.aborted; at += 1)
        await s3.send(new PutObjectCommand({ Bucket: 'shared', Key: `steady/${at % 20}.txt`, Body: 'x'.repeat(200) }))
      return 'uploads ran until the end'
    }
    const uploading = upload()
    try {
      // Figures that are newer than those of the first drawing.
      for (let lists = 0; lists < 2; lists += 1) await page.waitForResponse((response) => response.url().endsWith('/api/v1/overview'))
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Tasks' }).click()
      await heading(page, 'Tasks').waitFor({ timeout: 10_000 })
    } finally {
      uploads.abort()
    }
    expect(await uploading).toBe('uploads ran until the end')
  })

  test('what another client does appears in every tab of the bucket by an event, without a reload', async () => {
    await using watched = await openPage()
    const { page } = watched
    // The pages also ask now and then: with a clock that stands still, they never do.
    await page.clock.setFixedTime(new Date())
    const target = { Bucket: 'shared' }
    const put = (Key: string) => s3.send(new PutObjectCommand({ ...target, Key, Body: 'x'.repeat(200) }))
    const link = (name: string) => page.locator('#main').getByRole('link', { name, exact: true }).first()
    await open(page, '/buckets/shared?prefix=live%2F')
    await page.getByText('Live', { exact: true }).waitFor()
    await put('live/a.txt')
    await put('live/b.txt')
    await row(page, 'a.txt').waitFor()
    await row(page, 'b.txt').waitFor()
    const { VersionId: marker } = await s3.send(new DeleteObjectCommand({ ...target, Key: 'live/a.txt' }))
    await row(page, 'a.txt').waitFor({ state: 'detached' })
    await link('Trash').click()
    await row(page, 'live/a.txt').waitFor()
    await s3.send(new DeleteObjectsCommand({ ...target, Delete: { Objects: [{ Key: 'live/b.txt' }] } }))
    await row(page, 'live/b.txt').waitFor()
    await s3.send(new DeleteObjectCommand({ ...target, Key: 'live/a.txt', VersionId: marker }))
    await row(page, 'live/a.txt').waitFor({ state: 'detached' })
    await page.goto(`${svc.url}/buckets/shared?tab=versions&key=live%2Fa.txt`)
    await page.getByText('Current version').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await s3.send(new DeleteObjectCommand({ ...target, Key: 'live/a.txt' }))
    await page.locator('#main').getByText('Delete marker', { exact: true }).waitFor()
  })

  test.each([
    ['objects', '/buckets/objects?prefix=photos%2F0000%2F', 'tbody tr'],
    ['versions', `/buckets/history?tab=versions&key=${encodeURIComponent(historyKey)}`, 'ol[aria-label^="Versions"] > li'],
    ['deleted objects', '/buckets/deleted?tab=trash', 'tbody tr'],
    ['tasks', '/tasks', 'tbody tr'],
  ])(`${rows} %s are a few rows in the document, on the first page and on later ones`, async (_what, path, selector) => {
    await using watched = await openPage()
    const { page } = watched
    await open(page, path)
    const shown = page.locator('#main').locator(selector)
    for (let turn = 0; turn < 3; turn += 1) {
      await expect.poll(() => shown.count()).toBeGreaterThanOrEqual(50)
      expect(await shown.count()).toBeLessThanOrEqual(rowsMax)
      const before = await shown.first().innerText()
      await page.getByRole('button', { name: 'Next' }).click()
      await expect.poll(async () => (await shown.first().innerText()) === before).toBe(false)
    }
  })

  test(`a list of ${rows} rows in one answer keeps few of them in the document; its end is reached, and no column moves`, async () => {
    const [bucket] = (await api.call('GET', '/api/v1/buckets')).json as { name: string }[]
    const many = Array.from({ length: rows }, (_, at) => ({
      ...bucket,
      name: `bucket-${String(at).padStart(5, '0')}`,
      object_count: at < 100 ? 9_999_999 : 1,
    }))
    await using watched = await openPage()
    const { page } = watched
    await page.route('**/api/v1/buckets', (route) => route.fulfill({ json: many }))
    await open(page, '/buckets')
    await row(page, 'bucket-00000').waitFor()
    const list = page.getByRole('region', { name: 'Buckets' })
    const shown = list.locator('tbody tr')
    expect(await shown.count()).toBeLessThanOrEqual(rowsMax)
    const head = list.getByRole('columnheader', { name: 'Objects' })
    const widthOf = async () => Math.round((await head.boundingBox())?.width ?? 0)
    const width = await widthOf()
    await list.evaluate((element) => element.scrollTo(0, element.scrollHeight))
    await row(page, many.at(-1)?.name ?? '').waitFor()
    expect([(await shown.count()) <= rowsMax, await row(page, 'bucket-00000').count()]).toEqual([true, 0])
    expect(await widthOf()).toBe(width)
  })

  test('hostile names make the whole round: upload, list, copy, download, trash and back', async () => {
    const folder = '<img src=x onerror=alert(1)>/../a?b&c=d#e+f%2F/'
    const names = ['\u202Egpj.exe', '🪣 фото 1.txt', '__proto__', 'end%00.txt']
    const keys = [...names, 'k'.repeat(1024 - Buffer.byteLength(folder))].map((name) => folder + name)
    await createBucket('round')
    await using watched = await openPage({ permissions: ['clipboard-read', 'clipboard-write'] })
    const { page } = watched
    await open(page, `/buckets/round?prefix=${encodeURIComponent(folder)}`)
    await page.getByLabel('Files to upload').setInputFiles(keys.map((key, at) => file(key.slice(folder.length), 200 + at)))
    await expect.poll(() => dialog(page).getByText('New object', { exact: true }).count()).toBe(keys.length)
    await dialog(page)
      .getByRole('button', { name: `Upload ${keys.length} files` })
      .click()
    await tray(page).getByText('Transfers ended').waitFor()
    await tray(page).getByText('‹202E›gpj.exe').waitFor()
    expect([...(await keysOf('round'))].sort()).toEqual([...keys].sort())
    for (const [at, key] of keys.entries()) {
      await page.goto(`${svc.url}/buckets/round?object=${encodeURIComponent(key)}`)
      await dialog(page).getByRole('button', { name: 'Copy the key' }).click()
      await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(key)
      const [download] = await Promise.all([page.waitForEvent('download'), dialog(page).getByRole('link', { name: 'Download' }).click()])
      const stream = await download.createReadStream()
      expect((await stream.toArray()).reduce((sum, chunk: Buffer) => sum + chunk.length, 0)).toBe(200 + at)
      await dialog(page).getByRole('link', { name: 'Versions' }).click()
      await page.getByText('Current version').waitFor()
      expect(new URL(page.url()).searchParams.get('key')).toBe(key)
    }
    await page.goto(`${svc.url}/buckets/round?prefix=${encodeURIComponent(folder)}`)
    await page.getByLabel('Select all rows').check()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('button', { name: 'Move to trash' }).click()
    await page.getByText(`${keys.length} objects moved to the trash`).waitFor()
    expect(await keysOf('round')).toEqual([])
    await page.goto(`${svc.url}/buckets/round?tab=trash`)
    const actions = page.locator('#main').getByRole('button', { name: /^Actions for/ })
    for (let left = keys.length; left > 0; left -= 1) {
      await expect.poll(() => actions.count()).toBe(left)
      await actions.first().click()
      await page.getByRole('menuitem', { name: 'Restore' }).click()
      await dialog(page).getByRole('button', { name: 'Restore' }).click()
      await dialog(page).waitFor({ state: 'detached' })
    }
    await expect.poll(() => keysOf('round')).toHaveLength(keys.length)
    expect([...(await keysOf('round'))].sort()).toEqual([...keys].sort())
    expect(await page.locator('img[src="x"]').count()).toBe(0)
  })
})
