import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DevProcess, startDev } from '../fixtures/gateways/dev-process.ts'
import { buildDashboard, hasBrowser, openPage, signIn } from './fixtures/browser.ts'
import { findFlaws, findOverflow, takePicture, widths } from './fixtures/inspect.ts'

let svc: DevProcess
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
const dialog = (page: Page) => page.locator('dialog:modal')
const bucketPath = (name: string) => `/api/v1/buckets/${name}`
const objectsPath = (name: string) => `${bucketPath(name)}/objects`

const createBucket = (name: string, copies = 1) =>
  svc.call('POST', '/api/v1/buckets', {
    json: { name, owner_access_key: svc.ready.s3.access_key, default_copies: copies, minimum_durable_copies: 1 },
  })
const upload = async (bucket: string, key: string, text: string) => {
  const { PutObjectCommand } = await import('@aws-sdk/client-s3')
  await svc.connect().send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: text.padEnd(200, '.') }))
}
const keysOf = async (bucket: string): Promise<readonly string[]> => {
  const { json } = await svc.call('GET', objectsPath(bucket))
  return (json as { objects: { key: string }[] }).objects.map(({ key }) => key)
}

const hostileKeys = [
  '<img src=x onerror=alert(1)>',
  '\u202Egpj.exe',
  'k'.repeat(1024),
  '../../etc/passwd',
  '🪣/фото 1%2F.jpg',
  'end/',
  'a?b&c=d#e+f',
  'two\nlines',
]

beforeAll(async () => {
  if (!hasBrowser) return
  await buildDashboard()
  svc = await startDev({ settings: { 's3.public_access': true } })
})
afterAll(() => svc?.[Symbol.asyncDispose]())

describe.runIf(hasBrowser)('pages of buckets', () => {
  test('a bucket is created with two numbers of copies, and its policy only rises', async () => {
    await using watched = await openPage()
    const { page } = watched
    await signIn(page, svc.ready, '/buckets?create=1')
    await page.getByLabel('Name', { exact: false }).last().fill('Not_A_Name')
    await page.getByText('Use lower-case letters').waitFor()
    await page.getByLabel('Name', { exact: false }).last().fill('made-here')
    await dialog(page).getByLabel('Owner').selectOption(svc.ready.s3.access_key)
    await dialog(page).locator('input').and(dialog(page).getByLabel('Copies')).fill('1')
    await dialog(page).getByLabel('Minimum before eviction').fill('2')
    await page.getByText('The minimum (2) must not be above the number of copies (1).').waitFor()
    await dialog(page).getByLabel('Minimum before eviction').fill('1')
    await dialog(page).getByRole('button', { name: 'Create bucket' }).click()
    await heading(page, 'made-here').waitFor()
    await page.locator('#main').getByRole('button', { name: 'Details' }).click()
    await dialog(page).getByRole('button', { name: 'One less', disabled: true }).first().waitFor()
    await dialog(page).getByRole('button', { name: 'One more' }).first().click()
    await page.getByText('New uploads get 2 copies').first().waitFor()
    await dialog(page).getByRole('button', { name: 'Save policy' }).click()
    const review = page.getByRole('dialog', { name: 'Change the copy policy of made-here' })
    await review.getByRole('button', { name: 'Save policy' }).click()
    await page.getByText('Copy policy of made-here saved').waitFor()
    expect((await svc.call('GET', bucketPath('made-here'))).json).toMatchObject({ default_copies: 2, minimum_durable_copies: 1 })
  })

  test('a bucket that anyone may list and write is marked in the list and on its page, with what that can cost', async () => {
    const { CreateBucketCommand, PutBucketAclCommand } = await import('@aws-sdk/client-s3')
    await svc.connect().send(new CreateBucketCommand({ Bucket: 'for-everyone', ACL: 'public-read-write' }))
    await using watched = await openPage()
    const { page } = watched
    await signIn(page, svc.ready, '/buckets')
    await row(page, 'for-everyone').getByText('Public: list, write').waitFor()
    await page.goto(`${svc.ready.base_url}/buckets/for-everyone`)
    await page.getByText('This bucket is public').waitFor()
    await page.getByText('causes payments to storage providers').waitFor()
    await svc.connect().send(new PutBucketAclCommand({ Bucket: 'for-everyone', ACL: 'private' }))
    await page.goto(`${svc.ready.base_url}/buckets`)
    await row(page, 'for-everyone').waitFor()
    expect(await row(page, 'for-everyone').getByText('Public').count()).toBe(0)
  })

  test('the owner changes in two steps, a wrong turn loses nothing, and the notice has the name of the new owner', async () => {
    const rename = (name: string | null) => svc.call('PUT', `/api/v1/s3-users/${svc.ready.s3.access_key}/profile`, { json: { name } })
    await rename('Ann of Films')
    await svc.call('POST', '/api/v1/buckets', { json: { name: 'ownerless', owner_access_key: '__internal_root__' } })
    await using watched = await openPage()
    const { page } = watched
    await signIn(page, svc.ready, '/buckets?owner=ownerless')
    await dialog(page).getByLabel('Owner').selectOption(svc.ready.s3.access_key)
    await page.getByRole('button', { name: 'Review' }).click()
    await dialog(page).getByRole('cell', { name: 'Unassigned' }).waitFor()
    await page.getByRole('button', { name: 'Back' }).click()
    expect(await dialog(page).getByLabel('Owner').inputValue()).toBe(svc.ready.s3.access_key)
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByRole('button', { name: 'Change owner' }).click()
    await page.getByText('ownerless belongs to Ann of Films', { exact: true }).waitFor()
    await rename(null)
    expect((await svc.call('GET', bucketPath('ownerless'))).json).toMatchObject({ owner_access_key: svc.ready.s3.access_key })
  })

  test('files are judged before they are sent, and reach their provider', async () => {
    await createBucket('uploads')
    await upload('uploads', 'in/known.txt', 'first')
    await using watched = await openPage()
    const { page } = watched
    await signIn(page, svc.ready, '/buckets/uploads?prefix=in%2F')
    await row(page, 'known.txt').waitFor()
    const file = (name: string, bytes: number) => ({ name, mimeType: 'text/plain', buffer: Buffer.alloc(bytes, name) })
    await page.getByLabel('Files to upload').setInputFiles([file('known.txt', 300), file('small.txt', 126), file('new 1.txt', 127)])
    await row(page, 'Too small').waitFor()
    await row(page, 'New version').waitFor()
    await page.getByRole('button', { name: 'Upload 2 files' }).click()
    await page.getByRole('link', { name: 'Buckets' }).first().click()
    await heading(page, 'Buckets').waitFor()
    await page.getByText('Transfers ended').waitFor()
    await page.goBack()
    await row(page, 'new 1.txt').getByText('Stored').waitFor()
    await page.getByRole('img', { name: '1 of 1 copies: Stored' }).first().waitFor()
    expect(await keysOf('uploads')).toEqual(['in/known.txt', 'in/new 1.txt'])
  })

  test('keys of every kind show as text, and survive panels, addresses, deletion, restoration and purge', {
    timeout: 240_000,
  }, async () => {
    await createBucket('hostile')
    for (const key of hostileKeys) await upload('hostile', key, key)
    await using watched = await openPage()
    const { page } = watched
    await signIn(page, svc.ready, '/buckets/hostile')
    await page.getByText('<img src=x onerror=alert(1)>').first().waitFor()
    await page.getByText('‹202E›gpj.exe').first().waitFor()
    expect(await page.locator('img[src="x"]').count()).toBe(0)
    for (const key of hostileKeys) {
      await page.goto(`${svc.ready.base_url}/buckets/hostile?object=${encodeURIComponent(key)}`)
      const link = dialog(page).getByRole('link', { name: 'Download' })
      const path = await link.getAttribute('href')
      const { text } = await svc.call('GET', path ?? '')
      expect([key, text.startsWith(key)]).toEqual([key, true])
      await dialog(page).getByRole('link', { name: 'Versions' }).click()
      await page.getByText('Current version').waitFor()
    }
    await page.getByRole('link', { name: 'Objects' }).click()
    // Nothing is purged while its copies are being made.
    const isStored = async () =>
      /^("stored"){8}$/.test(((await svc.call('GET', objectsPath('hostile'))).text.match(/(?<="state":)"\w+"/g) ?? []).join(''))
    await expect.poll(isStored, { timeout: 120_000 }).toBe(true)
    await page.getByLabel('Select all rows').check()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText(`Delete ${hostileKeys.length} objects?`).waitFor()
    await page.getByRole('button', { name: 'Move to trash' }).click()
    await page.getByText(`${hostileKeys.length} objects moved to the trash`).waitFor()
    expect(await keysOf('hostile')).toEqual([])
    await page.getByRole('link', { name: 'Trash' }).first().click()
    await row(page, '‹202E›gpj.exe')
      .getByRole('button', { name: /Actions/ })
      .click()
    await page.getByRole('menuitem', { name: 'Restore' }).click()
    await dialog(page).getByRole('button', { name: 'Restore' }).click()
    await page.getByText('Object restored').waitFor()
    expect(await keysOf('hostile')).toEqual(['\u202Egpj.exe'])
    const actions = page.locator('#main').getByRole('button', { name: /^Actions for/ })
    for (let left = hostileKeys.length - 1; left > 0; left -= 1) {
      await expect.poll(() => actions.count()).toBe(left)
      await actions.first().click()
      await page.getByRole('menuitem', { name: 'Delete permanently' }).click()
      const field = dialog(page).getByRole('textbox')
      const label = await field.evaluate((element) => (element as unknown as { labels: { textContent: string }[] }).labels[0]?.textContent)
      await field.fill(/^Type (.*) to confirm/s.exec(label ?? '')?.[1] ?? '')
      await dialog(page).getByRole('button', { name: 'Delete permanently' }).click()
      await dialog(page).waitFor({ state: 'detached' })
    }
    await page.getByRole('paragraph').filter({ hasText: 'The trash is empty' }).waitFor()
    expect([(await svc.call('GET', `${objectsPath('hostile')}/deleted`)).json, await keysOf('hostile')]).toMatchObject([
      { objects: [] },
      ['\u202Egpj.exe'],
    ])
  })

  test('a trashed object is deleted permanently only after its name is typed', async () => {
    await createBucket('purged')
    await upload('purged', 'doomed.txt', 'x')
    await expect.poll(async () => JSON.stringify((await svc.call('GET', objectsPath('purged'))).json)).toContain('"state":"stored"')
    await svc.call('DELETE', `${objectsPath('purged')}?key=doomed.txt`)
    await using watched = await openPage()
    const { page } = watched
    await signIn(page, svc.ready, '/buckets/purged?tab=trash')
    await page.getByRole('button', { name: 'Actions for doomed.txt' }).click()
    await page.getByRole('menuitem', { name: 'Delete permanently' }).click()
    const word = page.getByLabel('Type doomed.txt to confirm')
    const confirm = dialog(page).getByRole('button', { name: 'Delete permanently' })
    const deletions: string[] = []
    page.on('request', (request) => request.url().endsWith('/permanent-delete') && deletions.push(request.method()))
    for (const part of ['', 'doomed', 'Doomed.txt', 'doomed.txt ']) {
      await word.fill(part)
      expect([part, await confirm.getAttribute('aria-disabled')]).toEqual([part, 'true'])
      await confirm.click({ force: true })
      await word.press('Enter')
    }
    expect([deletions, (await svc.call('GET', `${objectsPath('purged')}/deleted`)).text.includes('doomed.txt')]).toEqual([[], true])
    await word.fill('doomed.txt')
    await page.keyboard.press('Enter')
    await page.getByText('1 version and 1 delete marker removed').waitFor()
    await page.getByRole('paragraph').filter({ hasText: 'The trash is empty' }).waitFor()
  })

  test('a restore after a new upload of the key asks for a second confirmation', async () => {
    await createBucket('history')
    for (const text of ['one', 'two', 'one']) await upload('history', 'a.txt', text)
    await using watched = await openPage()
    const { page } = watched
    await signIn(page, svc.ready, '/buckets/history?tab=versions&key=a.txt')
    const actions = page.getByRole('button', { name: /Actions for version/ })
    const restore = async (at: number) => {
      await actions.nth(at).click()
      await page.getByRole('menuitem', { name: 'Restore as new version' }).click()
      await page.getByText('Its bytes become a new current version').waitFor()
    }
    await actions.nth(2).waitFor()
    await restore(1)
    await upload('history', 'a.txt', 'newer')
    await dialog(page).getByRole('button', { name: 'Restore' }).click()
    await page.getByText('The object has a new current version').waitFor()
    await actions.nth(3).waitFor({ state: 'attached' })
    await dialog(page).getByRole('button', { name: 'Restore' }).click()
    await page.getByText('Restored as a new version').waitFor()
    await actions.nth(4).waitFor()
  })

  test('folder, page and panel are in the address: back, forward and reload keep them', async () => {
    await createBucket('paged')
    await Promise.all(Array.from({ length: 51 }, (_, at) => upload('paged', `dir/${String(at).padStart(2, '0')}.txt`, 'x')))
    await using watched = await openPage()
    const { page } = watched
    await signIn(page, svc.ready, '/buckets/paged')
    await page.getByRole('link', { name: 'dir/' }).click()
    await row(page, '00.txt').waitFor()
    await page.getByRole('button', { name: 'Next' }).click()
    await row(page, '50.txt').waitFor()
    expect(await row(page, '00.txt').count()).toBe(0)
    await page.reload()
    await row(page, '50.txt').waitFor()
    await page.goBack()
    await row(page, '00.txt').waitFor()
    await page.goForward()
    await row(page, '50.txt').waitFor()
    await page.getByRole('button', { name: 'First' }).click()
    await row(page, '00.txt').waitFor()
  })

  test('pictures have the figures of the API: topology and timeline', async () => {
    await createBucket('pictured', 2)
    for (const text of ['one', 'two']) await upload('pictured', 'a.txt', text)
    await using watched = await openPage()
    const { page } = watched
    await signIn(page, svc.ready, '/buckets/pictured?tab=replicas')
    const map = page.getByRole('figure', { name: 'Topology' })
    const sets = map.getByRole('button', { name: /^Replica [12] · .* Data set \d+$/ })
    await expect.poll(() => sets.count()).toBe(2)
    await sets.first().click()
    await dialog(page).getByText('Replica slot').waitFor()
    expect(new URL(page.url()).searchParams.get('node')).toMatch(/^set:\d+$/)
    await page.keyboard.press('Escape')
    await map.getByRole('button', { name: 'View Topology as table' }).click()
    await expect.poll(() => map.getByRole('row', { name: /^pictured Data set/ }).count()).toBe(2)
    await page.goto(`${svc.ready.base_url}/buckets/pictured?tab=versions&key=a.txt`)
    const timeline = page.getByRole('figure', { name: 'Timeline of the versions' })
    await timeline.getByRole('button', { name: /version of 200 B$/ }).click()
    await page.locator('li[aria-current="true"]').getByText('Earlier version').waitFor()
  })

  test('the overview shows throughput, operations and cache as they were measured, over an hour, a week and a month', {
    timeout: 240_000,
  }, async () => {
    await createBucket('measured')
    await upload('measured', 'a.txt', 'x')
    const names = 'requests_put,cache_used,cache_capacity'
    const lastOf = async (name: string, step: number) => {
      const { json } = await svc.call('GET', `/api/v1/observability/series?names=${names}&from=-1h&step=${step}`)
      return (json.series as { name: string; values: (number | null)[] }[])
        .find((one) => one.name === name)
        ?.values.findLast((value) => value !== null)
    }
    // The gateway measures every 20 seconds.
    await expect.poll(() => lastOf('cache_used', 20), { timeout: 90_000, interval: 1000 }).toBeGreaterThan(0)
    for (const [theme, width] of [
      ['dark', 1440],
      ['light', 390],
    ] as const) {
      await using watched = await openPage({ theme, width })
      const { page } = watched
      await signIn(page, svc.ready)
      const card = page.getByRole('region', { name: 'Over time' })
      await card.scrollIntoViewIfNeeded()
      const fill = card.getByRole('figure', { name: /^Cache fill over time/ })
      await fill
        .getByRole('listitem')
        .filter({ hasText: 'Capacity' })
        .getByText(/[GM]iB/)
        .waitFor()
      await fill.getByRole('button', { name: 'View Cache fill over time as table' }).click()
      await fill.getByRole('columnheader', { name: 'Pinned' }).waitFor()
      for (const [range, step] of [
        ['1 hour', 20],
        ['7 days', 3600],
        ['30 days', 10_800],
      ] as const) {
        const asked = page.waitForResponse((response) => response.url().includes(`step=${step}`))
        await card.getByRole('tab', { name: range }).click()
        expect((await asked).status()).toBe(200)
        await card
          .getByRole('figure', { name: /^S3 operations/ })
          .getByRole('listitem')
          .filter({ hasText: 'Writes' })
          .getByText(/\/s/)
          .waitFor()
      }
      expect(await findOverflow(page)).toBe(0)
      await takePicture(page, `overview-history-${theme}-${width}`)
    }
  })

  test.each(widths)('every tab and panel is accessible in both themes at %i px', { timeout: 240_000 }, async (width) => {
    await createBucket('looked-at', 2)
    await upload('looked-at', 'folder/<b>a</b>.txt', 'x')
    await upload('looked-at', 'b.txt', 'x')
    await upload('looked-at', 'gone.txt', 'x')
    await svc.call('DELETE', `${objectsPath('looked-at')}?key=gone.txt`)
    const views = [
      '',
      '?object=b.txt',
      '?details=1',
      '?tab=versions&key=b.txt',
      '?tab=versions',
      '?tab=trash',
      '?tab=settings',
      '?tab=replicas',
      '?prefix=folder%2F',
    ]
    await using watched = await openPage({ width })
    const { page } = watched
    await signIn(page, svc.ready)
    for (const view of views) {
      await page.goto(`${svc.ready.base_url}/buckets/looked-at${view}`)
      await heading(page, 'looked-at').waitFor({ state: 'attached' })
      await page.locator('.kit-pulse').first().waitFor({ state: 'detached' })
      expect([view, await findFlaws(page, `bucket-${view.replaceAll(/\W+/g, '-')}`)]).toEqual([view, []])
    }
  })
})
